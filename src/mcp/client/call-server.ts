import { CallTimeout } from "../../contract/perform-call.js";
import { HandlerError } from "../../contract/handler-errors.js";
import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { OutputSerialization } from "../../contract/tool-errors.js";
import type { ToolCtx } from "../../contract/tool-handler.js";
import { IDEMPOTENCY_KEY_META } from "../meta.js";
import type { Connection } from "./connection.js";
import type { ConnectionKeeper } from "./connection-keeper.js";
import { ANSWER, splitInput, suspendFor } from "./continuation.js";
import { McpConnectionLost, McpToolError } from "./mcp-errors.js";
import { paramHeaders } from "./param-headers.js";
import { judgeByServersSchema } from "./untrusted-judge.js";
import type { McpToolDefinition } from "./tool-definition.js";
import type { WireAnswer } from "./transport/wire.js";

/** Where a server's calls go, and who is told of their progress. */
export interface CallRoute {
  readonly server: string;
  readonly keeper: ConnectionKeeper;
  readonly onProgress: ((tool: string, ctx: ToolCtx, params: JsonObject) => void) | undefined;
  /** The server's own names of the tools that are being called. */
  readonly openCalls: Map<symbol, string>;
}

/** The codes with which a server says that it has not begun: it has no such method or tool, or refuses the arguments. */
const REFUSALS: ReadonlySet<number> = new Set([-32601, -32602]);
/** How much of a server's text an error message carries, in characters. */
const MOST_TEXT = 2_000;

/**
 * Performs one attempt at a call of a server's tool.
 *
 * @returns what a handler returns: the server's result as it came, or a suspension.
 * @throws `HandlerError` when nothing happened: it was not sent, or the server refused it before it began; and, for a tool that
 *   may be repeated or of which the operator says so, when the server answered with an error.
 * @throws anything else when a `write` may have had its effect.
 */
export async function callServer(
  route: CallRoute,
  tool: McpToolDefinition,
  ctx: ToolCtx,
  input: JsonValue,
): Promise<unknown> {
  const { arguments: args, answer } = splitInput(input);
  const connection = await connected(route, tool, ctx);
  const meta =
    ctx.idempotencyKey === undefined ? {} : { _meta: { [IDEMPOTENCY_KEY_META]: ctx.idempotencyKey } };
  const call = Symbol(tool.serverName);
  route.openCalls.set(call, tool.serverName);
  try {
    const answered = await connection.request({
      method: "tools/call",
      params: { ...meta, name: tool.serverName, arguments: args, ...answer },
      ...(connection.era === "modern" && { headers: paramHeaders(tool.inputSchema, args) }),
      signal: ctx.signal,
      onProgress: (params) => {
        route.onProgress?.(tool.name, ctx, params);
      },
    });
    return await outcomeOf(route, tool, connection, answered);
  } catch (error) {
    // The server may be stuck in this call: whether it still answers is asked before the next one.
    if (ctx.signal.aborted && ctx.signal.reason instanceof CallTimeout) route.keeper.doubt();
    throw error;
  } finally {
    route.openCalls.delete(call);
    route.keeper.sweep();
  }
}

async function connected({ keeper }: CallRoute, tool: McpToolDefinition, ctx: ToolCtx): Promise<Connection> {
  try {
    // What is sent on a connection that the server has forgotten is a write of unknown outcome: it is better asked before.
    return await unlessAborted(keeper.get(tool.effect === "write"), ctx.signal);
  } catch (cause) {
    throw new HandlerError(NOTHING_SENT, { cause });
  }
}

const NOTHING_SENT = "nothing was sent to the server";

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function outcomeOf(
  route: CallRoute,
  tool: McpToolDefinition,
  connection: Connection,
  answer: WireAnswer,
): Promise<unknown> {
  switch (answer.kind) {
    case "broken": {
      route.keeper.retire(connection);
      const { cause } = answer;
      const remarks = connection.remarks();
      const said = remarks === "" ? "" : ` (${remarks})`;
      if (!answer.sent) throw new HandlerError(`${NOTHING_SENT}${said}`, { cause });
      throw lost(
        tool,
        new McpConnectionLost(`the connection broke before the server answered${said}`, { cause }),
      );
    }
    case "error": {
      const error = new McpToolError(
        `the server answered with error ${answer.code}: ${shortened(answer.message)}`,
        answer.code,
      );
      throw REFUSALS.has(answer.code) ? definite(error) : failed(tool, error);
    }
    case "result":
      return resultOf(route, tool, connection, answer.result);
  }
}

async function resultOf(
  { server }: CallRoute,
  tool: McpToolDefinition,
  connection: Connection,
  result: JsonValue,
): Promise<unknown> {
  if (!isJsonObject(result)) throw new McpToolError("the server answered with something that is no result");
  const type = connection.era === "modern" ? (ownValue(result, "resultType") ?? "complete") : "complete";
  if (type === "input_required") {
    const [requests, state] = [ownValue(result, "inputRequests"), ownValue(result, "requestState")];
    return suspendFor(server, {
      inputRequests: isJsonObject(requests) ? requests : {},
      ...(typeof state === "string" && { requestState: state }),
    });
  }
  if (type !== "complete") {
    throw new McpToolError(`the server answered with a result of type ${shortened(JSON.stringify(type))}`);
  }
  if (ownValue(result, "isError") === true) {
    throw failed(tool, new McpToolError(`the server says that it failed: ${shortened(textOf(result))}`));
  }
  const whole = Object.fromEntries(Object.entries(result).filter(([key]) => key !== "resultType"));
  const violations = await judgeResult(tool, whole);
  if (violations.length > 0) throw new OutputSerialization(tool.name, violations);
  return whole;
}

/** What is wrong with a result: also with one that somebody else says that a call had. */
export async function judgeResult(tool: McpToolDefinition, result: JsonValue) {
  if (!isJsonObject(result) || Object.hasOwn(result, ANSWER)) {
    return [
      { path: "$", message: "expected a result of an MCP tool, { content, structuredContent?, _meta? }" },
    ];
  }
  const structured = ownValue(result, "structuredContent");
  const content = ownValue(result, "content");
  if (content !== undefined ? !Array.isArray(content) : structured === undefined) {
    return [{ path: "$.content", message: "expected an array" }];
  }
  if (tool.outputSchema === undefined) return [];
  if (structured === undefined) {
    return [
      {
        path: "$.structuredContent",
        message: "expected what the tool's outputSchema describes, found nothing",
      },
    ];
  }
  const violations = await judgeByServersSchema(tool.outputSchema, structured);
  return violations.map(({ path, message }) => ({ path: path.replace("$", "$.structuredContent"), message }));
}

/** An error that the server answered with: of a `write` it proves nothing, unless the operator says that it does. */
function failed(tool: McpToolDefinition, error: McpToolError): Error {
  return tool.effect !== "write" || tool.errorsAreDefinite ? definite(error) : error;
}

/** A `read` or an `idempotent` call may be made again, on another connection. */
function lost(tool: McpToolDefinition, error: McpConnectionLost): Error {
  return tool.effect === "write" ? error : definite(error);
}

function definite(error: Error): HandlerError {
  return new HandlerError(error.message, { cause: error.cause });
}

/** The texts of a result. */
function textOf(result: JsonObject): string {
  const content = ownValue(result, "content");
  const texts = (Array.isArray(content) ? (content as readonly JsonValue[]) : []).flatMap((item) => {
    const text = isJsonObject(item) ? ownValue(item, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
  return texts.join("\n") || JSON.stringify(ownValue(result, "structuredContent") ?? null);
}

function shortened(text: string): string {
  return text.length <= MOST_TEXT ? text.toWellFormed() : `${text.slice(0, MOST_TEXT).toWellFormed()}…`;
}
