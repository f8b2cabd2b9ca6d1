import { BadRequestError, NotJsonError, ToolFailedError } from "../client/index.js";
import type { JsonValue } from "../contract/json.js";
import { canonicalJson } from "../log/canonical-json.js";

/**
 * A tool's output as its model reads it. The same text whenever the loop runs again, wherever the log is kept: it becomes
 * part of the next request, by which that one is found again.
 */
export function outputText(output: JsonValue): string {
  return typeof output === "string" ? output : canonicalJson(output);
}

/**
 * What a model may be told of a call that threw: that it is recorded as failed, or that its input was refused before anything of
 * it was recorded.
 *
 * @returns `undefined` for any other error: the loop has to stop with that one.
 */
export function tellable(error: unknown): string | undefined {
  if (error instanceof ToolFailedError) return `${error.tool} failed (${error.kind}): ${error.reason}`;
  if (error instanceof BadRequestError || error instanceof NotJsonError) return error.message;
  return undefined;
}
