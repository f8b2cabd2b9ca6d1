import { RunErased, StoreUnavailable, TamperEvident } from "./errors.js";
import type { EventStore, RunSummary } from "./event-store.js";

export interface RetentionOptions {
  /** How many days after its last event a run that has ended is erased. */
  readonly days: number;
  /** How often runs are looked for, in milliseconds; an hour by default. */
  readonly everyMs?: number;
  /** Told how many runs were erased, when any was. */
  readonly onErased?: (count: number) => void;
  /** Told why it was given up, until the next time. */
  readonly onProblem?: (error: unknown) => void;
  readonly now?: () => Date;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PAGE = 500;

/**
 * Erases the runs of a store that ended long enough ago, now and every hour: their content goes, a tombstone stays, and
 * nothing that they paid for can be paid again. Several servers may do it on one store.
 *
 * @returns the way to stop; it resolves when nothing is under way any more.
 */
export function keepFor(store: EventStore, options: RetentionOptions): () => Promise<void> {
  const { everyMs = HOUR_MS, onProblem } = options;
  const stop = new AbortController();
  let running = Promise.resolve();
  const look = (): void => {
    running = running
      .then(() => eraseOld(store, options, stop.signal))
      .catch((error: unknown) => onProblem?.(error));
  };
  look();
  const timer = setInterval(look, everyMs).unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await running;
  };
}

async function eraseOld(
  store: EventStore,
  { days, onErased, now = () => new Date() }: RetentionOptions,
  stop: AbortSignal,
): Promise<void> {
  const before = new Date(now().getTime() - days * DAY_MS).toISOString();
  let erased = 0;
  try {
    for await (const { run, firstRecordedAt, lastRecordedAt } of ended(store)) {
      // The list begins with the oldest: none that follows can have ended long enough ago.
      if (stop.aborted || firstRecordedAt >= before) return;
      if (lastRecordedAt < before && (await eraseOne(store, run))) erased += 1;
    }
  } finally {
    if (erased > 0) onErased?.(erased);
  }
}

async function* ended(store: EventStore): AsyncGenerator<RunSummary, void> {
  let after: string | undefined;
  do {
    const page = await store.summaries({
      states: ["completed", "failed", "abandoned"],
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page.runs;
    after = page.next;
  } while (after !== undefined);
}

/** One run that cannot be erased does not keep the others. */
async function eraseOne(store: EventStore, run: string): Promise<boolean> {
  try {
    await store.erase(run);
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    if (error instanceof RunErased || error instanceof TamperEvident) return false;
    throw error;
  }
}
