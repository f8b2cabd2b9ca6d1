import type { Envelope } from "../log/events.js";
import { recordedCall, type RecordedCall } from "../log/recorded-call.js";

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
    return recordedCall((position) => this.at(position), seq);
  }
}
