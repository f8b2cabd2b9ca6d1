import { SalvorError, type AgentRun, type CallEnd } from "../../client/index.js";
import { ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { outputText, tellable } from "../tool-words.js";
import { turnsIn } from "./carried-asks.js";
import { LoopStoppedError } from "./loop-stopped-error.js";
import { answeredBy, messagesIn, type MessagesRequest } from "./messages-request.js";
import type { Stops } from "./stops.js";

/**
 * A request as the model may be told it: where it carries an error of a call that has an end in the log, it says that, in the form in
 * which the tool runner says it. The same object, when there is nothing to say otherwise.
 *
 * @throws LoopStoppedError when such a call waits for a person, or has stopped the loop and is not recorded.
 */
export async function asRecorded(
  agent: AgentRun,
  stops: Stops,
  request: MessagesRequest,
  signal: AbortSignal | undefined,
): Promise<MessagesRequest> {
  const answered = answeredBy(request);
  const messages = messagesIn(request.asked);
  const turns = turnsIn(messages);
  let ends: readonly ReadonlyMap<string, CallEnd>[];
  try {
    ends = await agent.endsOf(
      turns.map(({ asks }) => asks),
      { signal },
    );
  } catch (error) {
    // What stopped the loop says more than that it is stopped still.
    throw stops.among(answered) ?? (error instanceof SalvorError ? new LoopStoppedError(error) : error);
  }
  const told = new Map<JsonValue, JsonObject>();
  for (const [at, { results }] of turns.entries())
    for (const [id, end] of ends[at] ?? []) {
      const block = results.get(id);
      if (block === undefined) continue;
      stops.clear(id);
      told.set(block, resultOf(block, end));
    }
  const stopped = stops.among(answered);
  if (stopped !== undefined) throw stopped;
  if (told.size === 0) return request;
  const put = (message: JsonObject): JsonObject => {
    const content = ownValue(message, "content");
    return Array.isArray(content)
      ? { ...message, content: (content as JsonValue[]).map((block) => told.get(block) ?? block) }
      : message;
  };
  return { ...request, asked: { ...request.asked, messages: messages.map(put) } };
}

function resultOf(block: JsonObject, end: CallEnd): JsonObject {
  if ("failure" in end)
    return { ...block, content: `Error: ${tellable(end.failure) ?? end.failure.message}` };
  const rest = Object.entries(block).filter(([name]) => name !== "is_error");
  return { ...Object.fromEntries(rest), content: outputText(end.output) };
}
