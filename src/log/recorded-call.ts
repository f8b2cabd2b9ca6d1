import type { JsonSchema, JsonValue } from "../contract/json.js";
import { isFailureOutput, isSuspensionOutput, type FailureOutput } from "../contract/reserved.js";
import { holds, type Envelope, type EventOf } from "./events.js";

/** A recorded intent. */
export type Intent = Envelope<EventOf<"ToolCallRequested">>;

/** What is recorded at a position where a call is asked for. */
export type RecordedCall =
  | { readonly kind: "nothing" }
  /** Something that is no call. */
  | { readonly kind: "other"; readonly envelope: Envelope }
  /** An intent without its completion. */
  | { readonly kind: "open"; readonly intent: Intent }
  /** A call that waits for a person's input. */
  | {
      readonly kind: "suspended";
      readonly intent: Intent;
      readonly reason: string;
      readonly inputSchema: JsonSchema;
    }
  /** A call that ended, and where the run goes on. */
  | {
      readonly kind: "settled";
      readonly intent: Intent;
      readonly result: CallResult;
      readonly next: number;
    };

export type CallResult =
  | { readonly kind: "output"; readonly output: JsonValue }
  | { readonly kind: "failure"; readonly failure: FailureOutput["__salvor_error"] };

/**
 * What a log says about the call at a position. By the guard, a completion directly follows its intent, a call's suspension
 * its completion, and the resumption that.
 *
 * @param at the event at a position, or `undefined` behind the end.
 */
export function recordedCall(at: (seq: number) => Envelope | undefined, seq: number): RecordedCall {
  const intent = at(seq);
  if (intent === undefined) return { kind: "nothing" };
  if (!holds(intent, "ToolCallRequested")) return { kind: "other", envelope: intent };
  const completion = at(seq + 1);
  if (completion === undefined) return { kind: "open", intent };
  if (!holds(completion, "ToolCallCompleted")) return { kind: "other", envelope: completion };
  const { output } = completion.event.payload;
  if (isFailureOutput(output)) {
    return {
      kind: "settled",
      intent,
      result: { kind: "failure", failure: output.__salvor_error },
      next: seq + 2,
    };
  }
  if (!isSuspensionOutput(output)) {
    return { kind: "settled", intent, result: { kind: "output", output }, next: seq + 2 };
  }
  const { reason, input_schema } = output.__salvor_suspend;
  const resumed = at(seq + 3);
  if (holds(resumed, "Resumed")) {
    return {
      kind: "settled",
      intent,
      result: { kind: "output", output: resumed.event.payload.input },
      next: seq + 4,
    };
  }
  if (resumed !== undefined) return { kind: "other", envelope: resumed };
  return { kind: "suspended", intent, reason, inputSchema: input_schema };
}
