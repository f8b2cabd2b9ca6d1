import type { ModelReply, ToolAsk } from "../../client/index.js";
import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { itemsOf } from "./message-marks.js";

/** A message as the Messages API answers it. */
export function replyOf(message: JsonObject): ModelReply {
  const usage = ownValue(message, "usage");
  const tokens = (name: string): number => {
    const count = isJsonObject(usage) ? ownValue(usage, name) : undefined;
    return typeof count === "number" ? count : 0;
  };
  return {
    response: message,
    usage: { input_tokens: tokens("input_tokens"), output_tokens: tokens("output_tokens") },
  };
}

/** A refusal, with the status that it came with: recorded where the SDK goes on with another request because of it. */
export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
}

export function replyOfRefusal({ status, body }: Refusal): ModelReply {
  return { response: { refused: { status, body } }, usage: { input_tokens: 0, output_tokens: 0 } };
}

export function refusalOf(recorded: JsonValue): Refusal | undefined {
  const refused = isJsonObject(recorded) ? ownValue(recorded, "refused") : undefined;
  return refused === undefined ? undefined : (refused as unknown as Refusal);
}

/** Whether the SDK's message thread asks otherwise when it hears this. */
export function changesTheRequest(body: JsonValue): boolean {
  const error = isJsonObject(body) ? ownValue(body, "error") : undefined;
  const details = isJsonObject(error) ? ownValue(error, "details") : undefined;
  const code = isJsonObject(details) ? ownValue(details, "error_code") : undefined;
  return typeof code === "string" && code.startsWith("thread_");
}

/** Which calls of tools a recorded message asks for, be it the run's tools or not: those that the tool runner executes. */
export function asksOf(recorded: JsonValue): readonly ToolAsk[] {
  if (!isJsonObject(recorded) || ownValue(recorded, "stop_reason") !== "tool_use") return [];
  return itemsOf(ownValue(recorded, "content")).flatMap((block) => {
    const { type, id, name, input, toolset_name: toolset } = block;
    const isAsk = type === "tool_use" && typeof id === "string" && typeof name === "string";
    // A toolset's calls are performed by the toolset.
    return isAsk && input !== undefined && (toolset ?? null) === null ? [{ id, tool: name, input }] : [];
  });
}
