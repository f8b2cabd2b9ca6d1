import { LRUCache } from "lru-cache";
import type { JsonValue } from "../contract/json.js";
import { envelopeOf, type Envelope, type RunEvent } from "../log/events.js";
import { applyEvent, fold, NOT_STARTED, type RunState } from "../log/fold.js";
import { judgeAppend } from "../log/guard.js";
import { measure } from "../schema/value-size.js";
import { Conflict, LeaseLost, StoreUnavailable } from "../store/errors.js";
import type { AppendUnit, EventStore } from "../store/event-store.js";
import type { AroundCall } from "./around-call.js";
import { Divergence } from "./divergence.js";
import { Draft, type DeskStore } from "./draft.js";
import { RunQueue } from "./run-queue.js";

/**
 * How much of folded states stays in memory, in rough characters; a run that is not among them is folded again from its
 * log.
 */
const STATES_IN_MEMORY = 64 * 1024 * 1024;

/** How often work is judged anew because another server was faster. */
const ATTEMPTS = 10;

export interface RecorderOptions {
  /** Where the time comes from; the wall clock by default. */
  readonly now?: () => Date;
  /** What happens around the execution of a tool; nothing by default. */
  readonly aroundCall?: AroundCall;
}

/**
 * The one way to append: every event, whoever made it, is stamped here, passes the guard and is durable before anyone is
 * told. All work on a run goes through its queue, so that what was judged is still true when it is written.
 */
export class Recorder {
  readonly #queue = new RunQueue();
  readonly #states = new LRUCache<string, RunState>({ maxSize: STATES_IN_MEMORY, sizeCalculation: sizeOf });
  readonly #now: () => Date;
  readonly aroundCall: AroundCall;

  constructor(
    readonly store: EventStore,
    options: RecorderOptions = {},
  ) {
    this.#now = options.now ?? (() => new Date());
    this.aroundCall = options.aroundCall ?? ((_call, execute) => execute());
  }

  /**
   * Works on a run while nobody else of this process does. Where another server was faster, the work begins again on the
   * log as it is then: so it may be done more than once, and must not have done anything that lasts before it appends.
   *
   * @param lease hash of the drive token that the caller presented: compared with the run's current one now, and again
   *   inside every append. Absent for work that no driver does.
   * @throws {@link LeaseLost} when the lease is not current.
   */
  within<T>(run: string, lease: string | undefined, work: (desk: RunDesk) => Promise<T>): Promise<T> {
    return this.#queue.enter(run, async () => {
      for (let attempt = 1; ; attempt += 1) {
        if (lease !== undefined && (await this.store.readRun(run))?.lease !== lease) throw new LeaseLost(run);
        const desk = new RunDesk(this, run, lease, await this.state(run), this.store);
        try {
          return await work(desk);
        } catch (error) {
          if (attempt === ATTEMPTS || !(await this.#wasOvertaken(desk, error))) throw error;
          // What was judged is not so any more, or never was: the log says what is.
          this.#states.delete(run);
        }
      }
    });
  }

  /** Whether work failed on a log that another server has gone on with meanwhile: what it was refused for may not hold. */
  async #wasOvertaken(desk: RunDesk, error: unknown): Promise<boolean> {
    if (error instanceof Conflict) return true;
    if (this.store.exclusive === true) return false;
    if (error instanceof StoreUnavailable || error instanceof LeaseLost) return false;
    return ((await this.store.readRun(desk.run))?.eventCount ?? 0) !== desk.state.nextSeq;
  }

  /** What the run's durable log means now. */
  async state(run: string): Promise<RunState> {
    const known = this.#states.get(run) ?? NOT_STARTED;
    const state = fold(await this.store.readLog(run, known.nextSeq), known);
    if (state !== known) this.#states.set(run, state);
    return state;
  }

  /** This server's time, RFC 3339 in UTC. */
  stamp(): string {
    return this.#now().toISOString();
  }

  /** Resolves when no work is left. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }
}

/** A run, while nobody else works on it. */
export class RunDesk {
  #state: RunState;

  constructor(
    private readonly recorder: Recorder,
    readonly run: string,
    private readonly lease: string | undefined,
    state: RunState,
    readonly store: DeskStore,
  ) {
    this.#state = state;
  }

  /** What the log means, with everything that was appended here. */
  get state(): RunState {
    return this.#state;
  }

  stamp(): string {
    return this.recorder.stamp();
  }

  /** The events from a position on, at most `limit`. */
  async read(from: number, limit?: number): Promise<readonly Envelope[]> {
    return this.store.readLog(this.run, from, limit);
  }

  /**
   * Appends events as one durable unit.
   *
   * @param first the position that the caller means; the guard refuses any but the next one.
   * @returns them, in their place.
   * @throws {@link Divergence} when the guard refuses one; nothing is written then.
   */
  append(
    events: readonly RunEvent[],
    unit: AppendUnit = {},
    first: number = this.#state.nextSeq,
  ): Promise<readonly Envelope[]> {
    const stamp = this.stamp();
    return this.appendPlaced(
      events.map((event, at) => envelopeOf(this.run, first + at, stamp, event)),
      unit,
    );
  }

  /** Appends events that already claim a place; the guard judges the place too. */
  async appendPlaced(envelopes: readonly Envelope[], unit: AppendUnit = {}): Promise<readonly Envelope[]> {
    if (envelopes.length === 0) return envelopes;
    let state = this.#state;
    for (const envelope of envelopes) {
      const refusal = judgeAppend(this.run, state, envelope);
      if (refusal !== null) throw Divergence.ofRefusal(refusal);
      state = applyEvent(state, envelope);
    }
    await this.#write(envelopes, unit);
    this.#state = state;
    return envelopes;
  }

  /**
   * Does work whose appends become one durable unit. The desk that it works on shows what it appended so far; nobody else
   * sees any of it before all of it is durable, and when the work throws, nothing is written.
   */
  async asOne<T>(work: (desk: RunDesk) => Promise<T>): Promise<T> {
    const draft = new Draft(this.store, this.run);
    const desk = new RunDesk(this.recorder, this.run, this.lease, this.#state, draft);
    const result = await work(desk);
    if (draft.events.length > 0) await this.#write(draft.events, draft.unit);
    this.#state = desk.state;
    return result;
  }

  async #write(envelopes: readonly Envelope[], unit: AppendUnit): Promise<void> {
    await this.store.append(this.run, envelopes, {
      ...unit,
      ...(this.lease !== undefined && { lease: this.lease }),
    });
  }
}

/** What a state keeps alive that a caller chose the size of: the input that is pending, the output that ended the run. */
function sizeOf({ pending, status }: RunState): number {
  const input = pending?.kind === "tool" ? pending.input : null;
  const output = status.state === "completed" ? status.output : null;
  return 512 + contentSize(input) + contentSize(output);
}

function contentSize(value: JsonValue): number {
  const size = measure(value);
  // What is too large to be measured is not kept.
  return "message" in size ? STATES_IN_MEMORY : size.text + 16 * size.parts;
}
