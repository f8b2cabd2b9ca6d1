import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { scriptedTurn, type Turn } from "../../support/desk.js";

/** What a request says, as far as a script goes by it. */
export interface AskedMessage {
  readonly stream?: boolean;
  readonly thread?: { readonly type: string; readonly previous_message_id?: string };
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

type Answer = (response: ServerResponse, asked: AskedMessage) => void;

/** A server of the Messages API that says what a script says, whole or piece by piece, and holds threads. */
export class ScriptedMessages {
  readonly asked: AskedMessage[] = [];
  readonly #server = createServer();
  readonly #turn: (results: number) => Turn;
  readonly #answers: Answer[] = [];

  private constructor(turn: (results: number) => Turn) {
    this.#turn = turn;
  }

  static async start(turn: (results: number) => Turn = scriptedTurn): Promise<ScriptedMessages> {
    const api = new ScriptedMessages(turn);
    api.#server.on("request", (request, response) => {
      void text(request).then((body) => {
        api.#answer(JSON.parse(body) as AskedMessage, response);
      });
    });
    api.#server.listen(0, "127.0.0.1");
    await once(api.#server, "listening");
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next requests are answered like this, one each, instead of by the script. */
  next(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(asked: AskedMessage, response: ServerResponse): void {
    this.asked.push(asked);
    const answer = this.#answers.shift();
    if (answer !== undefined) answer(response, asked);
    else {
      const results = resultsOf(asked);
      const message = messageOf(this.#turn(results), results);
      if (asked.stream === true) sendEvents(response, eventsOf(message));
      else sendJson(response, 200, message);
    }
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_1" });
  response.end(JSON.stringify(body));
}

export function sendEvents(response: ServerResponse, events: readonly { readonly type: string }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_1" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** How many results of tools the conversation has, by the thread that the request goes on with. */
function resultsOf({ messages, thread }: AskedMessage): number {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as unknown[]) : []));
  const here = blocks.filter((block) => (block as { type: string }).type === "tool_result").length;
  const before = thread?.previous_message_id?.match(/^msg_(\d+)$/)?.[1] ?? "0";
  return here + Number(before);
}

type ScriptedMessage = ReturnType<typeof messageOf>;

export function messageOf({ text, calls }: Turn, results: number) {
  return {
    id: `msg_${results}`,
    type: "message",
    role: "assistant",
    model: "claude-scripted",
    content: [
      ...(text === "" ? [] : [{ type: "text", text, citations: null }]),
      ...calls.map(({ id, tool, input }) => ({ type: "tool_use", id, name: tool, input })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10 + results, output_tokens: 5 },
  };
}

/** The events of a message, its text and inputs in pieces. */
export function eventsOf({ content, stop_reason, stop_sequence, usage, ...rest }: ScriptedMessage) {
  const start = { ...rest, content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: "message_start", message: { ...start, usage: { ...usage, output_tokens: 1 } } },
    { type: "ping" },
    ...content.flatMap((block, index) => {
      const [started, deltas] = piecesOf(block);
      return [
        { type: "content_block_start", index, content_block: started },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ];
    }),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
}

function piecesOf(block: ScriptedMessage["content"][number]): readonly [object, readonly object[]] {
  const pieces = (whole: string) => whole.match(/.{1,8}/g) ?? [];
  if ("text" in block) {
    return [{ ...block, text: "" }, pieces(block.text).map((piece) => ({ type: "text_delta", text: piece }))];
  }
  const input = JSON.stringify(block.input);
  const deltas = pieces(input).map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [{ ...block, input: {} }, deltas];
}
