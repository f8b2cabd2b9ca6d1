import type { BaseMessage } from "@langchain/core/messages";
import type { AgentRun, CallEnd, CarriedAsk } from "../../client/index.js";
import { turnsIn } from "./carried-asks.js";
import { Stops } from "./stops.js";
import { errorMessage, outputMessage } from "./tool-messages.js";
import { interrupting } from "./waiting.js";

/**
 * Messages as a model may be told them: where they say that a call went wrong or was rejected, and a call is recorded that ended
 * otherwise since, they say that.
 *
 * @throws LangGraph's interrupt when such a call waits for a person.
 */
export async function asRecorded(
  run: AgentRun,
  messages: readonly BaseMessage[],
  signal: AbortSignal | undefined,
): Promise<BaseMessage[]> {
  const turns = turnsIn(messages);
  const ends = await interrupting(() =>
    run.endsOf(
      turns.map(({ asks }) => asks),
      { signal },
    ),
  );
  const told = new Map<BaseMessage, BaseMessage>();
  for (const [at, { asks, results }] of turns.entries())
    for (const ask of asks) {
      const end = ends[at]?.get(ask.id);
      const result = results.find(({ tool_call_id: id }) => id === ask.id);
      if (end === undefined || result === undefined) continue;
      Stops.of(run).goOn(ask.id);
      told.set(result, messageOf(end, ask));
    }
  return messages.map((message) => told.get(message) ?? message);
}

function messageOf(end: CallEnd, ask: CarriedAsk): BaseMessage {
  return "output" in end ? outputMessage(ask, end.output) : errorMessage(ask, end.failure);
}
