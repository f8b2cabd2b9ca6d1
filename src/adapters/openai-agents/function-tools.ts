import type { FunctionTool } from "@openai/agents";
import { waitOf, type ToolAsk } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import { toOpenAI } from "../../contract/models/to-openai.js";
import type { ToolDescriptor } from "../../contract/tool-set.js";
import { inputOf } from "./model-answer.js";
import type { PerformedCalls } from "./performed-calls.js";

/**
 * A tool of a run as the framework's own. The framework asks whether a call needs approval before it executes the tool, and only
 * there can a call become an interruption. So there the call is performed: one that waits for a person needs approval, and what any
 * other came to is told when the tool is executed.
 */
export function functionTool(descriptor: ToolDescriptor, calls: PerformedCalls): FunctionTool {
  // Not strict: a strict schema leaves nothing optional. What a tool's own demands is judged before a call is recorded.
  const { function: tool } = toOpenAI(descriptor).tool;
  const made: FunctionTool = {
    ...tool,
    type: "function",
    parameters: tool.parameters as unknown as FunctionTool["parameters"],
    isEnabled: (context, agent) => {
      calls.around.seeContext(context);
      calls.around.seeAgent(agent, made);
      return Promise.resolve(true);
    },
    needsApproval: async (context, input, callId) => {
      calls.around.seeContext(context);
      try {
        await calls.perform(askOf(tool.name, callId, input));
        return false;
      } catch (error) {
        if (waitOf(error) === undefined) throw error;
        return true;
      }
    },
    invoke: async (context, text, details) => {
      calls.around.seeContext(context);
      const input = inputOf(text);
      if (input === undefined) return `the arguments of ${tool.name} are not JSON`;
      return calls.take(askOf(tool.name, details?.toolCall?.callId, input), details?.signal);
    },
  };
  return made;
}

function askOf(tool: string, id: string | undefined, input: JsonValue): ToolAsk {
  if (id === undefined) {
    throw new TypeError(
      `${tool} was called without a call id: only a model's call can be found in the log again`,
    );
  }
  return { id, tool, input };
}
