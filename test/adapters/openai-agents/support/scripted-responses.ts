import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Turn } from "../../support/desk.js";

/** A server of the Responses API that says what a script says. */
export class ScriptedResponses {
  readonly #server = createServer();
  asked = 0;

  static async start(turn: (results: number) => Turn): Promise<ScriptedResponses> {
    const api = new ScriptedResponses();
    api.#server.on("request", (request, response) => {
      void text(request).then((body) => {
        api.asked += 1;
        const { input } = JSON.parse(body) as { readonly input: readonly { readonly type?: string }[] };
        const results = input.filter(({ type }) => type === "function_call_output").length;
        response.writeHead(200, { "content-type": "application/json", "x-request-id": "req_1" });
        response.end(JSON.stringify(responseOf(turn(results), results)));
      });
    });
    api.#server.listen(0, "127.0.0.1");
    await once(api.#server, "listening");
    return api;
  }

  /** What the SDK takes for its base URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function responseOf({ text: words, calls }: Turn, results: number) {
  const content = [{ type: "output_text", text: words, annotations: [] }];
  const message = { type: "message", id: `msg_${results}`, role: "assistant", status: "completed", content };
  return {
    id: `resp_${results}`,
    object: "response",
    created_at: 1_700_000_000,
    model: "gpt-scripted",
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    output: [
      ...(words === "" ? [] : [message]),
      ...calls.map(({ id, tool: name, input }) => {
        const of = { call_id: id, name, arguments: JSON.stringify(input), status: "completed" };
        return { type: "function_call", id: `fc_${id}`, ...of };
      }),
    ],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    },
  };
}
