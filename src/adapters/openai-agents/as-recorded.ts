import type { AgentInputItem, FunctionCallResultItem, ModelRequest } from "@openai/agents";
import type { AgentRun, CallEnd, HeldAsk } from "../../client/index.js";
import { outputText, tellable } from "../tool-words.js";
import { turnsIn, wordsOf, type CarriedTurn } from "./carried-asks.js";
import { NOT_APPROVED, WENT_WRONG } from "./framework-words.js";
import { inputOf } from "./model-answer.js";
import type { PerformedCalls } from "./performed-calls.js";

/**
 * A request as a model may be told it. Where a call ended, and other words stand for its result (that it was declined, that it
 * failed, whatever the program puts there), it says what is recorded, in the form in which the framework says it.
 *
 * @throws {@link WaitingError} when such a call waits for a person.
 */
export async function asRecorded(
  agent: AgentRun,
  calls: PerformedCalls,
  request: ModelRequest,
): Promise<ModelRequest> {
  const { input, signal } = request;
  if (typeof input === "string") return request;
  const turns = turnsIn(input);
  const ends = await agent.endsOf(
    turns.map((turn) => asksOf(turn, calls)),
    { signal },
  );
  const told = new Map<AgentInputItem, AgentInputItem>();
  for (const [at, { results }] of turns.entries())
    for (const result of results) {
      const end = ends[at]?.get(result.callId);
      const text = end && textOf(end);
      if (text === undefined || text === wordsOf(result)) continue;
      told.set(result, { ...result, status: "completed", output: { type: "text" as const, text } });
    }
  return { ...request, input: input.map((item) => told.get(item) ?? item) };
}

function asksOf({ calls: asked, results }: CarriedTurn, calls: PerformedCalls): readonly HeldAsk[] {
  const ids = new Set([...asked, ...results].map(({ callId }) => callId));
  return [...ids].map((id) => {
    const call = asked.find(({ callId }) => callId === id);
    const result = results.find(({ callId }) => callId === id);
    return {
      id,
      tool: (call ?? result)?.name,
      input: call && inputOf(call.arguments),
      told: result && toldBy(result, calls),
    };
  });
}

function toldBy(result: FunctionCallResultItem, calls: PerformedCalls): HeldAsk["told"] {
  const { callId: id, name: tool } = result;
  const words = wordsOf(result);
  if (words !== undefined && calls.wasTold(id, words)) return undefined;
  if (calls.around.isDeclined({ id, tool }) || words === NOT_APPROVED) return "denial";
  if (words?.startsWith(WENT_WRONG) === true || words?.startsWith(`${tool} failed (`) === true)
    return "error";
  return calls.around.isAltered(tool) ? undefined : "words";
}

function textOf(end: CallEnd): string | undefined {
  return "output" in end ? outputText(end.output) : tellable(end.failure);
}
