import type { Envelope } from "../log/events.js";
import type {
  AppendUnit,
  CallHolder,
  EventStore,
  Execution,
  IdentityChange,
  RunRecord,
} from "../store/event-store.js";

/** What work on a run needs of a store. */
export type DeskStore = Pick<
  EventStore,
  "append" | "readLog" | "lookupCall" | "readRun" | "recordRefusal" | "execution"
>;

/**
 * Appends to one run that are not written yet: whoever reads through it sees them as if they were. It judges nothing; the
 * store does, once, when all of it is appended together.
 */
export class Draft implements DeskStore {
  readonly #events: Envelope[] = [];
  readonly #identities: IdentityChange[] = [];
  readonly #holders = new Map<string, CallHolder | undefined>();

  constructor(
    private readonly base: DeskStore,
    private readonly run: string,
  ) {}

  get events(): readonly Envelope[] {
    return this.#events;
  }

  /** What becomes of identities, in the order in which it was asked for. */
  get unit(): AppendUnit {
    return { identities: this.#identities };
  }

  async append(
    run: string,
    events: readonly Envelope[],
    { identities = [] }: AppendUnit = {},
  ): Promise<void> {
    for (const each of identities) {
      const { identity } = each;
      const holder = await this.lookupCall(identity);
      if (each.change === "release") this.#holders.set(identity, undefined);
      else if (each.change === "claim") {
        this.#holders.set(identity, { run_id: run, seq: each.seq, settled: false });
      } else if (holder !== undefined) this.#holders.set(identity, { ...holder, settled: true });
    }
    this.#identities.push(...identities);
    this.#events.push(...events);
  }

  async readLog(run: string, from = 0, limit = Number.POSITIVE_INFINITY): Promise<readonly Envelope[]> {
    const stored = await this.base.readLog(run, from, limit);
    if (run !== this.run) return stored;
    return [...stored, ...this.#events.filter(({ seq }) => seq >= from)].slice(0, limit);
  }

  async lookupCall(identity: string): Promise<CallHolder | undefined> {
    return this.#holders.has(identity) ? this.#holders.get(identity) : this.base.lookupCall(identity);
  }

  readRun(run: string): Promise<RunRecord | undefined> {
    return this.base.readRun(run);
  }

  execution(run: string): Promise<Execution | undefined> {
    return this.base.execution(run);
  }

  /** What is refused ends the whole draft, and of that nothing is written. */
  async recordRefusal(): Promise<void> {
    return Promise.resolve();
  }
}
