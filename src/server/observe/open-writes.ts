import { holds, type Envelope } from "../../log/events.js";
import type { EventStore } from "../../store/event-store.js";

/** How old what is known of other servers' appends may be, in milliseconds. */
const STALE_MS = 30_000;

/** How many summaries are read at once. */
const PAGE = 500;

/**
 * The writes that have no completion yet. The store is asked once, when somebody first wants to know; from then on every
 * append of this process is followed, so that knowing costs nothing. Only a store that other processes append to is asked
 * again, and not more often than twice a minute.
 */
export class OpenWrites {
  /** When each was recorded, by run, the oldest first: a run has one open call at most. */
  #open: Map<string, number> | undefined;
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Runs that were appended to while the store was being read: what was seen here is newer. */
  readonly #meanwhile = new Map<string, number | undefined>();

  constructor(
    private readonly store: EventStore,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Follows an append that is durable. */
  appended(run: string, events: readonly Envelope[]): void {
    if (this.#open === undefined && this.#reading === undefined) return;
    const opened = openedAt(events.at(-1));
    if (this.#reading !== undefined) this.#meanwhile.set(run, opened);
    this.#note(run, opened);
  }

  /** How many there are, and when the oldest was recorded, in milliseconds since 1970. */
  async read(): Promise<{ readonly count: number; readonly oldest?: number }> {
    const mayBeStale = this.store.exclusive !== true && this.now() - this.#readAt >= STALE_MS;
    if (this.#open === undefined || mayBeStale) {
      this.#reading ??= this.#ask().finally(() => {
        this.#reading = undefined;
        this.#meanwhile.clear();
      });
      await this.#reading;
    }
    const open = this.#open ?? new Map<string, number>();
    const [oldest] = open.values();
    return { count: open.size, ...(oldest !== undefined && { oldest }) };
  }

  async #ask(): Promise<void> {
    const startedAt = this.now();
    const found: (readonly [string, number])[] = [];
    let after: string | undefined;
    do {
      const page = await this.store.summaries({
        states: ["needs_reconciliation"],
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      // An open intent is the last event of its log.
      for (const { run, lastRecordedAt } of page.runs) found.push([run, Date.parse(lastRecordedAt)]);
      after = page.next;
    } while (after !== undefined);
    this.#open = new Map(found.sort(([, one], [, other]) => one - other));
    for (const [run, opened] of this.#meanwhile) this.#note(run, opened);
    this.#readAt = startedAt;
  }

  #note(run: string, opened: number | undefined): void {
    this.#open?.delete(run);
    if (opened !== undefined) this.#open?.set(run, opened);
  }
}

function openedAt(last: Envelope | undefined): number | undefined {
  if (!holds(last, "ToolCallRequested") || last.event.payload.effect !== "write") return undefined;
  return Date.parse(last.recorded_at);
}
