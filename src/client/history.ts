import type { JsonSchema, JsonValue } from "../contract/json.js";
import { isFailureOutput, isSuspensionOutput, type FailureOutput } from "../contract/reserved.js";
import { holds, type Envelope, type EventOf } from "../log/events.js";

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

/** The part of a log that a driver has not replayed yet. */
export class History {
  #from = 0;
  #events: readonly Envelope[] = [];

  /** The first position that is not known to be recorded. */
  get end(): number {
    return this.#from + this.#events.length;
  }

  at(seq: number): Envelope | undefined {
    return this.#events[seq - this.#from];
  }

  /** Replaces everything from a position on by what the server says is recorded there. */
  load(from: number, events: readonly Envelope[]): void {
    const stray = events.findIndex(({ seq }, at) => seq !== from + at);
    if (stray >= 0) {
      throw new RangeError(
        `the log has position ${String(events[stray]?.seq)} where ${from + stray} should be`,
      );
    }
    this.#from = from;
    this.#events = events;
  }

  /** Goes on to a position; what is known behind it stays known. */
  advance(to: number): void {
    if (to <= this.end) return;
    this.#events = [];
    this.#from = to;
  }

  /** What is recorded about the call at a position. */
  callAt(seq: number): RecordedCall {
    const intent = this.at(seq);
    if (intent === undefined) return { kind: "nothing" };
    if (!holds(intent, "ToolCallRequested")) return { kind: "other", envelope: intent };
    const completion = this.at(seq + 1);
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
    const resumed = this.at(seq + 3);
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
}
