import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { JsonValue } from "../../contract/json.js";
import type { McpTool } from "../../contract/models/to-mcp.js";
import { copyInput, NotJson } from "../../contract/plain-json.js";
import { parseRunId } from "../../log/run-id.js";
import { VERSION } from "../../version.js";
import { IDEMPOTENCY_KEY_META } from "../meta.js";
import { cancellation } from "./cancellation.js";
import { clientName, takesForms } from "./client-facts.js";
import { formOf } from "./form-of.js";
import { ProgressNotes } from "./progress-notes.js";
import { refused } from "./refusals.js";
import { RUN_META } from "./run-meta.js";
import { makeServer, type LowLevelServer, type ServerSdk } from "./sdk.js";
import type { AskedCall, CallReply, ServedTools } from "./served-tools.js";
import { toolList } from "./tool-list.js";
import {
  failedResult,
  outputResult,
  refusedResult,
  suspendedResult,
  underwayResult,
  unknownResult,
  type Advice,
} from "./tool-result.js";

/** How a server reaches its clients. */
export interface Face {
  /** Has somebody told, once it is known, whether the answer to this request has left for its client. */
  whenAnswered(ctx: ServerContext, answered: (isOut: boolean) => Promise<void>): void;
  /** Whether whoever asks may decide about a call that waits for a person. */
  mayDecide(): boolean;
}

const INSTRUCTIONS =
  "Every call is recorded. A call whose answer says that its outcome is unknown may have happened: do not repeat it in other " +
  "words, a person settles it.";

/** Makes MCP servers that offer these tools, one for each connection. */
export class ServerMaker {
  readonly #tools: ReadonlyMap<string, McpTool>;
  readonly #sdk: ServerSdk;

  constructor(
    sdk: ServerSdk,
    private readonly served: ServedTools,
    private readonly advice: Advice,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#sdk = sdk;
    this.#tools = new Map(toolList(served.descriptors()).tools.map((tool) => [tool.name, tool]));
  }

  make(face: Face): LowLevelServer {
    const server = makeServer(
      this.#sdk,
      { name: "salvor", version: VERSION },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler("tools/list", () => ({ tools: [...this.#tools.values()] }) as never);
    server.setRequestHandler("tools/call", (request, ctx) => {
      const tool = this.#tools.get(request.params.name);
      if (tool === undefined) {
        const names = [...this.#tools.keys()].join(", ") || "none";
        throw new this.#sdk.ProtocolError(
          this.#sdk.ProtocolErrorCode.InvalidParams,
          `there is no tool ${JSON.stringify(request.params.name)} (there are: ${names})`,
        );
      }
      return this.#call(server, face, tool, request.params.arguments ?? {}, ctx);
    });
    server.onerror = this.onError;
    return server;
  }

  async #call(
    server: LowLevelServer,
    face: Face,
    tool: McpTool,
    given: unknown,
    ctx: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const asked = this.#asked(tool.name, given, ctx, clientName(server, ctx));
    if ("kind" in asked) return refusedResult(asked);
    const answer = this.#sdk.inputResponse(ctx.mcpReq.inputResponses, ANSWER);
    const waiting = parseRunId(ctx.mcpReq.requestState());
    const reply =
      answer.kind === "elicit" && answer.action === "accept" && waiting !== undefined
        ? await this.#resume(face, asked, waiting, (answer.content ?? null) as JsonValue)
        : await this.served.call(waiting === undefined ? asked : { ...asked, run: waiting });
    if (reply.kind === "output") {
      if (ctx.mcpReq.signal.aborted) await reply.answered(false);
      else face.whenAnswered(ctx, reply.answered);
    }
    if (reply.kind !== "suspended") return this.#result(tool, reply);
    // Whom a person has told no is not asked again at once.
    const isDeclined = answer.kind === "elicit" && answer.action !== "accept";
    return this.#suspended(server, face, tool, reply, ctx, isDeclined);
  }

  /** A person has filled in the form. */
  async #resume(face: Face, asked: AskedCall, run: string, content: JsonValue): Promise<CallReply> {
    const again = { ...asked, run };
    const reply = await this.served.call(again);
    if (reply.kind !== "suspended" || !face.mayDecide()) return reply;
    const form = formOf(reply.inputSchema);
    if (form === undefined) return reply;
    const unanswered = await this.served.resume(again, run, form.answerOf(content));
    return unanswered.kind === "refused"
      ? refused(unanswered.code, `${unanswered.message}. Run ${run} still waits; ask again to be asked again`)
      : unanswered;
  }

  #asked(tool: string, given: unknown, ctx: ServerContext, client: string | undefined) {
    const { _meta: meta = {} } = ctx.mcpReq;
    const key = own(meta, IDEMPOTENCY_KEY_META);
    const run = own(meta, RUN_META);
    if (
      key !== undefined &&
      (typeof key !== "string" || key === "" || key.length > 1024 || !key.isWellFormed())
    )
      return refused("bad_key", `${IDEMPOTENCY_KEY_META} in _meta must be a string of 1 to 1024 characters`);
    const named = parseRunId(run);
    if (run !== undefined && named === undefined)
      return refused("bad_run", `${RUN_META} in _meta must be the id of a run`);
    const token = meta.progressToken;
    const notes =
      token === undefined
        ? undefined
        : new ProgressNotes(token, (params) =>
            ctx.mcpReq.notify({ method: "notifications/progress", params: { ...params } }),
          );
    try {
      return {
        tool,
        input: copyInput(given as JsonValue),
        key,
        run: named,
        client,
        signal: cancellation(this.#sdk, ctx),
        onProgress: notes?.tell,
      } satisfies AskedCall;
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      return refused(
        "bad_input",
        `the arguments of ${tool} cannot be recorded as they are: ${error.message}`,
      );
    }
  }

  async #result(
    tool: McpTool,
    reply: Exclude<CallReply, { readonly kind: "suspended" }>,
  ): Promise<CallToolResult> {
    switch (reply.kind) {
      case "output": {
        const isJudged = reply.fresh || tool.outputSchema === undefined;
        return outputResult(
          tool,
          reply,
          isJudged ? [] : await this.served.judgeOutput(tool.name, reply.output),
        );
      }
      case "failed":
        return failedResult(tool.name, reply);
      case "unknown":
        return unknownResult(tool.name, reply, this.advice);
      case "underway":
        return underwayResult(tool.name, reply);
      case "refused":
        return refusedResult(reply);
    }
  }

  /** Asks the client's user where that is possible; else says who has to be asked, and how. */
  #suspended(
    server: LowLevelServer,
    face: Face,
    tool: McpTool,
    reply: Extract<CallReply, { readonly kind: "suspended" }>,
    ctx: ServerContext,
    isDeclined: boolean,
  ): CallToolResult | InputRequiredResult {
    const form = formOf(reply.inputSchema);
    const note = isDeclined
      ? "The user did not answer."
      : !face.mayDecide()
        ? "Only the operator may answer it."
        : !takesForms(server, ctx)
          ? "This client cannot ask its user."
          : form === undefined
            ? "What is asked for does not fit into a form."
            : undefined;
    if (note !== undefined || form === undefined) {
      return suspendedResult(tool.name, reply, this.advice, note ?? "");
    }
    const { inputRequired } = this.#sdk;
    const ask = inputRequired.elicit({
      message: reply.reason,
      requestedSchema: form.requestedSchema as never,
    });
    return inputRequired({ inputRequests: { [ANSWER]: ask }, requestState: reply.at.run_id });
  }
}

/** What a client calls the person's answer that it sends back. */
const ANSWER = "answer";

function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}
