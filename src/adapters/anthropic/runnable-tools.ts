import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import type { AgentRun } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import { toAnthropic } from "../../contract/models/to-anthropic.js";
import type { ToolDescriptor } from "../../contract/tool-set.js";
import { outputText, tellable } from "../tool-words.js";
import type { Stops } from "./stops.js";

/**
 * A tool of a run as the tool runner's own. The runner makes an answer for the model of whatever a tool throws; where the model may not
 * be told, the call is noted, and the request that would carry that answer is not sent.
 */
export function runnableTool(
  agent: AgentRun,
  descriptor: ToolDescriptor,
  stops: Stops,
): BetaRunnableTool<JsonValue> {
  const { tool } = toAnthropic(descriptor);
  return {
    ...tool,
    type: "custom",
    input_schema: { ...tool.input_schema },
    parse: (input) => input as JsonValue,
    run: async (input, context) => {
      const { id } = context?.toolUse ?? {};
      if (id === undefined) {
        throw new TypeError(
          `${tool.name} was run without a tool_use block: only a model's call can be recorded`,
        );
      }
      stops.clear(id);
      try {
        const signal = context?.signal ?? undefined;
        return outputText(await agent.call({ id, tool: tool.name, input }, { signal }));
      } catch (error) {
        const told = tellable(error);
        if (told === undefined) stops.note(id, error);
        throw told === undefined ? error : new Error(told, { cause: error });
      }
    },
  };
}
