import { jsonSchema, tool, type ModelMessage, type Tool } from "ai";
import { waitOf, type ToolAsk } from "../../client/index.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import type { ToolDescriptor } from "../../contract/tool-set.js";
import { asksBeside } from "./carried-asks.js";
import type { PerformedCalls } from "./performed-calls.js";

/** Whether a person is to be asked before a call is performed at all. */
export type ApprovalPolicy = (ask: ToolAsk) => boolean | PromiseLike<boolean>;

/**
 * A tool of a run as the AI SDK's own. The AI SDK makes an answer for the model of whatever `execute` throws; only before that, where
 * it asks whether a call needs approval, can a loop still stop. So there the call is performed, and `execute` tells what it came to.
 */
export function durableTool(
  { name, description, inputSchema }: ToolDescriptor,
  calls: PerformedCalls,
  isApprovalWanted: ApprovalPolicy = () => false,
): Tool<JsonObject, JsonValue> {
  return tool({
    description,
    // What an input has to be is judged before a call is recorded; the model is told when it is not.
    inputSchema: jsonSchema<JsonObject>(inputSchema as Parameters<typeof jsonSchema>[0]),
    async needsApproval(input: JsonObject, { toolCallId: id, messages }) {
      if (!calls.isWhole(id)) return false;
      const ask = { id, tool: name, input };
      const isRequested = hasOpenRequest(messages, id);
      if (!isRequested && (await isApprovalWanted(ask))) return true;
      try {
        await calls.perform(ask, { carried: asksBeside(id, messages) });
      } catch (error) {
        // Approved, and it still waits: there is nobody to ask again but whoever repeats the turn.
        if (waitOf(error) === undefined || isRequested) throw error;
        return true;
      }
      // An approval that was given counts only where one is needed still.
      return isRequested;
    },
    execute: (input: JsonObject, { toolCallId: id, messages, abortSignal: signal }) =>
      calls.take({ id, tool: name, input }, { carried: asksBeside(id, messages), signal }),
  });
}

/** Whether approval of a call was requested, and the call has no result yet. */
function hasOpenRequest(messages: readonly ModelMessage[], id: string): boolean {
  for (const { role, content } of messages.toReversed()) {
    if (typeof content === "string") continue;
    if (role === "tool" && content.some((part) => part.type === "tool-result" && part.toolCallId === id))
      return false;
    if (
      role === "assistant" &&
      content.some((part) => part.type === "tool-approval-request" && part.toolCallId === id)
    )
      return true;
  }
  return false;
}
