import type { JsonValue } from "../contract/json.js";
import { holds, type Envelope, type EventKind, type EventOf } from "../log/events.js";
import { applyEvent, isTerminal, NOT_STARTED } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import { recordedCall, type RecordedCall } from "../log/recorded-call.js";
import { NeedsReconciliation } from "./call-errors.js";
import { Divergence } from "./divergence.js";
import type { RunDesk } from "./recorder.js";
import { RunEnded, RunSuspended } from "./run-errors.js";

/** A tool and its input: what makes two calls the same call at one position. */
export interface AskedCall {
  readonly tool: string;
  readonly input: JsonValue;
}

/** What is recorded where the next call goes: nothing, or this very call. */
export type FoundCall = Exclude<RecordedCall, { readonly kind: "other" }>;

/** A call, and what it did to the log, fill so many positions at most. */
const CALL_EVENTS = 4;

/** Where a program stands in its run. Every question is answered by the log, while nobody else works on the run. */
export class Replay {
  #position = 1;
  /** The call that this instance made where it stands, and whether it was handed to its tool. */
  #made: (AskedCall & { handed: boolean }) | undefined;

  constructor(readonly run: string) {}

  /** Where the next call or event goes; behind `RunStarted` at first. */
  get position(): number {
    return this.#position;
  }

  moveTo(position: number): void {
    this.#position = position;
    this.#made = undefined;
  }

  /** Notes that this instance has opened this call's intent here. */
  make(call: AskedCall): void {
    this.#made = { ...call, handed: false };
  }

  /** Notes that the call is handed to its tool now. */
  hand(call: AskedCall): void {
    this.#made = { ...call, handed: true };
  }

  /** Whether this instance opened this call here and has not handed it to its tool: only then may a `write` be performed. */
  isUnhanded(call: AskedCall): boolean {
    return this.#isMade(call) && this.#made?.handed === false;
  }

  /**
   * @throws {@link Divergence} when another call or event is recorded there.
   */
  async findCall(desk: RunDesk, asked: AskedCall): Promise<FoundCall> {
    for (;;) {
      const recorded = this.#callIn(await this.#window(desk));
      if (recorded.kind === "nothing") return recorded;
      const isCall = recorded.kind !== "other";
      if (isCall && isSame(recorded.intent.event.payload, asked)) return recorded;
      if (!this.#passMade(recorded)) {
        throw this.#differs(isCall ? recorded.intent : recorded.envelope, asked);
      }
    }
  }

  /**
   * The events from here on, of which the first is of a kind and accepted; empty when nothing is recorded here.
   *
   * @throws {@link Divergence} when something else is.
   */
  async findEvent<K extends EventKind>(
    desk: RunDesk,
    asked: EventOf<K>,
    accepts: (recorded: EventOf<K>) => boolean,
  ): Promise<readonly [] | readonly [EventOf<K>, ...Envelope[]]> {
    for (;;) {
      const events = await this.#window(desk);
      const [first, ...rest] = events;
      if (first === undefined) return [];
      if (holds(first, asked.kind) && accepts(first.event)) {
        return [first.event, ...rest];
      }
      if (!this.#passMade(this.#callIn(events))) {
        throw this.#differs(first, asked);
      }
    }
  }

  async #window(desk: RunDesk): Promise<readonly Envelope[]> {
    const events = await desk.read(this.#position, CALL_EVENTS);
    if (events.length === 0 && isTerminal(desk.state.status)) throw new RunEnded(this.run, desk.state.status);
    return events;
  }

  #callIn(events: readonly Envelope[]): RecordedCall {
    return recordedCall((seq) => events[seq - this.#position], this.#position);
  }

  /** Moves behind the call that this instance made here, when it has ended meanwhile; answers whether it did. */
  #passMade(recorded: RecordedCall): boolean {
    if (recorded.kind === "nothing" || recorded.kind === "other") return false;
    const { intent } = recorded;
    if (!this.#isMade(intent.event.payload)) return false;
    if (recorded.kind === "settled") {
      this.moveTo(recorded.next);
      return true;
    }
    if (recorded.kind === "suspended") {
      throw new RunSuspended(this.run, intent.seq + 2, recorded.reason, recorded.inputSchema);
    }
    if (intent.event.payload.effect === "write") throw new NeedsReconciliation(this.run, intent);
    return false;
  }

  #isMade(call: AskedCall): boolean {
    return this.#made !== undefined && isSame(this.#made, call);
  }

  #differs(recorded: Envelope, asked: object): Divergence | RunEnded {
    const { status } = applyEvent(NOT_STARTED, recorded);
    return isTerminal(status) ? new RunEnded(this.run, status) : Divergence.ofReplay(recorded, asked);
  }
}

function isSame(a: AskedCall, b: AskedCall): boolean {
  return a.tool === b.tool && jsonEqual(a.input, b.input);
}
