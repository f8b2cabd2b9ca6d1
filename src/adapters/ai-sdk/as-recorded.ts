import type { JSONValue } from "ai";
import type { AgentRun, CallEnd } from "../../client/index.js";
import { turnsIn } from "./carried-asks.js";
import type { ModelParams } from "./model-types.js";
import type { PerformedCalls } from "./performed-calls.js";

type Prompt = ModelParams["prompt"];
type ToolPart = Extract<Prompt[number], { readonly role: "tool" }>["content"][number];
type Output = Extract<ToolPart, { readonly type: "tool-result" }>["output"];

/**
 * A prompt as a model may be told it: where it says that a call was declined or went wrong, and a call is recorded that ended otherwise
 * since, it says that, in the words that it would have had if nobody had declined it.
 *
 * @throws `WaitingError` when such a call waits for a person, and what else stops the loop.
 */
export async function asRecorded(
  agent: AgentRun,
  calls: PerformedCalls,
  { prompt, abortSignal: signal }: ModelParams,
): Promise<Prompt> {
  const ends = await agent.endsOf(turnsIn(prompt), { signal });
  let turn = -1;
  return prompt.map((message) => {
    if (message.role === "assistant") turn += 1;
    if (message.role !== "tool") return message;
    const content = message.content.map((part) => {
      const end = part.type === "tool-result" ? ends[turn]?.get(part.toolCallId) : undefined;
      if (part.type !== "tool-result" || end === undefined) return part;
      calls.goOn(part.toolCallId);
      return { ...part, output: outputOf(end) };
    });
    return { ...message, content };
  });
}

function outputOf(end: CallEnd): Output {
  if ("failure" in end) return { type: "error-text", value: end.failure.message };
  const { output } = end;
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "json", value: output as JSONValue };
}
