import { failureOutput, isFailureOutput } from "../contract/reserved.js";
import { holds, type Envelope } from "../log/events.js";
import type { ModelReply } from "./client-options.js";

/**
 * What is recorded of a model call that was not answered, when another request takes its place: a person who was tired of waiting
 * asked something else. It had no effect but its cost, and nothing can be recorded behind it while it is open.
 */
export const GIVEN_UP: ModelReply = {
  response: failureOutput("handler", "given up: it was not answered, and something else was asked for", 1),
  usage: { input_tokens: 0, output_tokens: 0 },
};

/** Whether an event says that a model call was given up. */
export function isGivenUp(envelope: Envelope | undefined): boolean {
  return holds(envelope, "ModelCallCompleted") && isFailureOutput(envelope.event.payload.response);
}

/** The first position from this one on where no model call stands that was given up. */
export function behindGivenUp(log: readonly Envelope[], at: number): number {
  let next = at;
  while (holds(log[next], "ModelCallRequested") && isGivenUp(log[next + 1])) next += 2;
  return next;
}
