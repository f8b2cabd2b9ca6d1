import { LRUCache } from "lru-cache";
import { isTerminal } from "../../log/fold.js";
import type { RunView } from "../changes.js";
import type { CallHolder } from "../event-store.js";
import type { Outcome, Work } from "./work.js";

/** How much of what logs mean stays in memory, in about so many bytes, and of how many identities it is known who holds them. */
const KEPT = { views: 32 * 1024 * 1024, holders: 50_000 };

/**
 * What this server last saw of runs and identities. Other servers may have gone on since: it is only ever relied on in a
 * statement that fails where it is not so any more.
 */
export class Known {
  readonly #views = new LRUCache<string, RunView>({ maxSize: KEPT.views });
  readonly #holders = new LRUCache<string, CallHolder>({ max: KEPT.holders });

  view(run: string): RunView | undefined {
    return this.#views.get(run);
  }

  /** Those of some runs that are known, whatever becomes of the others meanwhile. */
  views(runs: readonly string[]): ReadonlyMap<string, RunView> {
    return present(runs, this.#views);
  }

  holders(identities: readonly string[]): ReadonlyMap<string, CallHolder> {
    return present(identities, this.#holders);
  }

  keep({ views, holders }: Outcome): void {
    for (const view of views) {
      // What has ended is not worked on again.
      if (view.erased || isTerminal(view.state.status)) this.#views.delete(view.run);
      else this.#views.set(view.run, view, { size: weightOf(view) });
    }
    for (const [identity, holder] of holders) {
      // Nothing becomes of one that is settled.
      if (holder === undefined || holder.settled) this.#holders.delete(identity);
      else this.#holders.set(identity, holder);
    }
  }

  /** Something that these works rely on is not, or may not be, as it is known. */
  forget(works: readonly Work[]): void {
    for (const { run, identities } of works) {
      this.#views.delete(run);
      for (const identity of identities) this.#holders.delete(identity);
    }
  }
}

function present<T extends object>(
  keys: readonly string[],
  kept: LRUCache<string, T>,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const key of keys) {
    const value = kept.get(key);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/** About how many bytes a view takes: what may be large in it, and the rest. */
function weightOf({ state: { status, pending }, labels }: RunView): number {
  return 1024 + weigh(status) + weigh(pending) + weigh(labels);
}

function weigh(value: unknown): number {
  if (typeof value === "string") return value.length + 16;
  if (typeof value !== "object" || value === null) return 8;
  let sum = 32;
  for (const member of Object.values(value)) sum += weigh(member);
  return sum;
}
