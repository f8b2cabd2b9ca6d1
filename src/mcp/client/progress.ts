import { ownValue, type JsonObject } from "../../contract/json.js";
import type { ToolCtx } from "../../contract/tool-handler.js";
import type { McpProgress } from "./connect-options.js";

/** What a server says of a call's progress, or `undefined` when it says nothing that can be told. */
export function progressOf(
  server: string,
  tool: string,
  { runId, seq }: ToolCtx,
  params: JsonObject,
): McpProgress | undefined {
  const progress = ownValue(params, "progress");
  const total = ownValue(params, "total");
  const message = ownValue(params, "message");
  if (typeof progress !== "number") return undefined;
  return {
    ...{ server, tool, runId, seq, progress },
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}
