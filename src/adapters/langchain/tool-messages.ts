import { ToolMessage } from "@langchain/core/messages";
import type { TurnAsk } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";

type Named = Pick<TurnAsk, "id" | "tool">;

/** What a model is told of a call that ended. */
export function outputMessage({ id, tool }: Named, output: JsonValue): ToolMessage {
  const content = typeof output === "string" ? output : JSON.stringify(output);
  return new ToolMessage({ content, name: tool, tool_call_id: id, status: "success" });
}

/** What a model is told of a call that failed, or was refused. */
export function errorMessage({ id, tool }: Named, { message }: Error): ToolMessage {
  return new ToolMessage({ content: message, name: tool, tool_call_id: id, status: "error" });
}
