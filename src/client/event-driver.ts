import type { JsonValue } from "../contract/json.js";
import { envelopeOf, type EventKind, type EventOf } from "../log/events.js";
import { NOT_STARTED, applyEvent, isTerminal, type RunStatus } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import type { CallDriver } from "./call-driver.js";
import type { OpenOptions, PlacedOptions } from "./client-run-options.js";
import type { RunCursor } from "./run-cursor.js";
import { RunEndedError, RunNotStartedError } from "./run-errors.js";
import type { SalvorClient } from "./salvor-client.js";
import { DivergenceError } from "./wire-errors.js";

/** Records events that are no calls where a cursor stands, or answers what is recorded there. One at a time. */
export class EventDriver {
  readonly #client: SalvorClient;
  readonly #cursor: RunCursor;
  readonly #calls: CallDriver;
  #ended: RunStatus | undefined;

  constructor(client: SalvorClient, cursor: RunCursor, calls: CallDriver) {
    this.#client = client;
    this.#cursor = cursor;
    this.#calls = calls;
  }

  /** Starts the run if its log is empty; otherwise compares what it was started with. */
  async start({ input, agentDefHash, labels, signal }: OpenOptions): Promise<void> {
    const { run } = this.#cursor.drive;
    const recorded = this.#cursor.findEvent("RunStarted", () => true);
    if (recorded === undefined) {
      if (agentDefHash === undefined) throw new RunNotStartedError(run);
      const payload = { agent_def_hash: agentDefHash, input: input ?? null, ...(labels && { labels }) };
      await this.record({ kind: "RunStarted", payload }, { signal });
      return;
    }
    const { payload } = recorded;
    const sameInput = input === undefined || jsonEqual(payload.input, input);
    if (!sameInput || (agentDefHash !== undefined && payload.agent_def_hash !== agentDefHash)) {
      const [found, asked] = sameInput
        ? [payload.agent_def_hash, agentDefHash]
        : [JSON.stringify(payload.input), JSON.stringify(input)];
      throw new DivergenceError(
        `run ${run} was started with ${sameInput ? "agent_def_hash" : "input"} ${found}, not ${String(asked)}`,
        { code: "divergence" },
        { position: 0, recorded: payload, asked: { agent_def_hash: agentDefHash, input } },
      );
    }
    this.#cursor.moveTo(1);
  }

  /** Delivers what was not delivered, and sees to it that the cursor knows the log: what precedes everything that is recorded. */
  async catchUp(options: PlacedOptions): Promise<void> {
    options.signal?.throwIfAborted();
    await this.#calls.deliverFirst();
    const { at } = options;
    if (at !== undefined) this.#cursor.goTo(at);
    else if (this.#ended !== undefined) throw new RunEndedError(this.#cursor.drive.run, this.#ended);
    await this.#cursor.refresh(options);
  }

  /** Ends the run. */
  async end(event: EventOf<"RunCompleted" | "RunFailed">, options: PlacedOptions): Promise<void> {
    await this.record(event, options);
    const { status } = applyEvent(NOT_STARTED, envelopeOf(this.#cursor.drive.run, 0, "", event));
    if (isTerminal(status)) this.#ended = status;
  }

  /** Records an event here, or answers the one of its kind that is recorded. An end must be the same end. */
  async record<K extends EventKind>(event: EventOf<K>, options: PlacedOptions): Promise<EventOf<K>> {
    await this.catchUp(options);
    const cursor = this.#cursor;
    const isObservation = event.kind === "NowObserved" || event.kind === "RandomObserved";
    const accepts = (recorded: EventOf<K>) =>
      isObservation || jsonEqual(recorded.payload as JsonValue, event.payload as JsonValue);
    const kind = event.kind;
    const recorded = cursor.findEvent(kind, accepts);
    if (recorded !== undefined) {
      cursor.moveTo(cursor.position + 1);
      return recorded;
    }
    const envelope = envelopeOf(cursor.drive.run, cursor.position, new Date().toISOString(), event);
    cursor.doubt();
    try {
      await this.#client.appendEvents(cursor.drive, [envelope], options);
    } catch (error) {
      if (!(error instanceof DivergenceError)) throw error;
      await cursor.refresh(options);
      // What is recorded here instead says more than the refusal.
      cursor.findEvent(kind, () => false);
      throw error;
    }
    cursor.moveBehindOwn(cursor.position + 1);
    return event;
  }
}
