import { applyChange, unknownRun, type Change, type RunView } from "../changes.js";
import type { CallHolder } from "../event-store.js";
import type { Lookup } from "../judge.js";
import type { StoredEvent } from "../stored-event.js";
import { refuseUnreadable, viewOf, type RunRow } from "./run-row.js";
import type { Outcome, Work } from "./work.js";

/** A row of `salvor.identities`. */
export interface IdentityRow {
  readonly identity: string;
  readonly run: string;
  readonly seq: number;
  readonly settled: boolean;
}

/**
 * What a transaction is going to write: each work judged on the locked rows and on top of the works before it, so that one
 * that is refused leaves no trace and takes no other with it.
 */
export class Draft implements Lookup {
  readonly #rows: ReadonlyMap<string, RunRow>;
  readonly #views = new Map<string, RunView>();
  readonly #stored: ReadonlyMap<string, CallHolder>;
  readonly #holders = new Map<string, CallHolder | undefined>();
  /** Why nothing can be added to a run, whoever asks. */
  readonly #broken = new Map<string, unknown>();
  readonly #touched = new Set<string>();
  readonly #refusals: unknown[] = [];
  readonly appended: { readonly run: string; readonly events: readonly StoredEvent[] }[] = [];
  /** Changes that are more than events and what belongs to them. */
  readonly others: Extract<Change, { readonly kind: "refusal" | "erase" }>[] = [];

  constructor(
    rows: readonly RunRow[],
    identities: readonly IdentityRow[],
    known: ReadonlyMap<string, RunView>,
  ) {
    this.#rows = new Map(rows.map((row) => [row.run, row]));
    for (const row of rows) {
      try {
        this.#views.set(row.run, viewOf(row, known.get(row.run)));
      } catch (error) {
        this.#broken.set(row.run, error);
      }
    }
    this.#stored = new Map(
      identities.map(({ identity, run, seq, settled }) => [identity, { run_id: run, seq, settled }]),
    );
  }

  view(run: string): RunView | undefined {
    return this.#views.get(run);
  }

  holder(identity: string): CallHolder | undefined {
    return this.#holders.has(identity) ? this.#holders.get(identity) : this.#stored.get(identity);
  }

  judge(works: readonly Work[]): void {
    for (const work of works) {
      try {
        const row = this.#rows.get(work.run);
        if (row !== undefined) refuseUnreadable(row);
        if (this.#broken.has(work.run)) throw this.#broken.get(work.run);
        const change = work.judge(this);
        if (change !== undefined) this.#take(change);
        this.#refusals.push(undefined);
      } catch (refusal) {
        this.#refusals.push(refusal);
      }
    }
  }

  get empty(): boolean {
    return this.#touched.size === 0;
  }

  /** The changed runs, and whether a row of theirs is there already; in the order of their ids, like every lock. */
  get runs(): readonly { readonly view: RunView; readonly fresh: boolean }[] {
    return [...this.#touched].sort().flatMap((run) => {
      const view = this.#views.get(run);
      return view === undefined ? [] : [{ view, fresh: !this.#rows.has(run) }];
    });
  }

  /** What is to become of the identities' rows. */
  get identities(): {
    readonly inserted: readonly IdentityRow[];
    readonly updated: readonly IdentityRow[];
    readonly deleted: readonly string[];
  } {
    const inserted: IdentityRow[] = [];
    const updated: IdentityRow[] = [];
    const deleted: string[] = [];
    for (const identity of [...this.#holders.keys()].sort()) {
      const holder = this.#holders.get(identity);
      const isStored = this.#stored.has(identity);
      if (holder === undefined) {
        if (isStored) deleted.push(identity);
        continue;
      }
      const row = { identity, run: holder.run_id, seq: holder.seq, settled: holder.settled };
      (isStored ? updated : inserted).push(row);
    }
    return { inserted, updated, deleted };
  }

  get outcome(): Outcome {
    return { refusals: this.#refusals, appended: this.appended, views: this.runs.map(({ view }) => view) };
  }

  #take(change: Change): void {
    const { run } = change;
    const before = this.#views.get(run) ?? unknownRun(run);
    this.#views.set(run, applyChange(before, change));
    this.#touched.add(run);
    if (change.kind === "append") {
      this.appended.push(change);
      for (const { identity, seq, settled } of change.held ?? []) {
        this.#holders.set(identity, { run_id: run, seq, settled });
      }
      for (const identity of change.freed ?? []) this.#holders.set(identity, undefined);
    } else if (change.kind !== "open") this.others.push(change);
  }
}
