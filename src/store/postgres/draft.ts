import { applyChange, unknownRun, type Change, type RunView } from "../changes.js";
import type { CallHolder } from "../event-store.js";
import type { Lookup } from "../judge.js";
import type { LoggedEvent } from "../stored-event.js";
import { refuseUnreadable, viewOf, type RunRow } from "./run-row.js";
import type { Outcome, Work } from "./work.js";

/** A row of `salvor.identities`. */
export interface IdentityRow {
  readonly identity: string;
  readonly run: string;
  readonly seq: number;
  readonly settled: boolean;
}

/** What works are judged on; what is not in there is not in the database. */
export interface Basis {
  readonly views: ReadonlyMap<string, RunView>;
  readonly holders: ReadonlyMap<string, CallHolder>;
  /** Why nothing can be added to a run, whoever asks. */
  readonly broken: ReadonlyMap<string, unknown>;
}

/** What locked rows say, with the help of what is known of logs that have not gone on since. */
export function basisOf(
  rows: readonly RunRow[],
  identities: readonly IdentityRow[],
  known: ReadonlyMap<string, RunView>,
): Basis {
  const views = new Map<string, RunView>();
  const broken = new Map<string, unknown>();
  for (const row of rows) {
    try {
      refuseUnreadable(row);
      views.set(row.run, viewOf(row, known.get(row.run)));
    } catch (error) {
      broken.set(row.run, error);
    }
  }
  const holders = new Map(
    identities.map(({ identity, run, seq, settled }) => [identity, { run_id: run, seq, settled }]),
  );
  return { views, holders, broken };
}

/** A run that changes: as it was (absent when it is new), and as it is to be. */
export interface RunChange {
  readonly was: RunView | undefined;
  readonly view: RunView;
}

/** An identity whose holder changes. */
export interface HolderChange {
  readonly identity: string;
  readonly was: CallHolder | undefined;
  readonly holder: CallHolder | undefined;
}

/**
 * What a transaction is going to write: each work judged on a basis and on top of the works before it, so that one
 * that is refused leaves no trace and takes no other with it.
 */
export class Draft implements Lookup {
  readonly #views = new Map<string, RunView>();
  readonly #holders = new Map<string, CallHolder | undefined>();
  readonly #refusals: unknown[] = [];
  readonly appended: { readonly run: string; readonly events: readonly LoggedEvent[] }[] = [];
  /** Changes that are more than events and what belongs to them. */
  readonly others: Extract<Change, { readonly kind: "refusal" | "erase" }>[] = [];

  constructor(private readonly basis: Basis) {}

  view(run: string): RunView | undefined {
    return this.#views.get(run) ?? this.basis.views.get(run);
  }

  holder(identity: string): CallHolder | undefined {
    return this.#holders.has(identity) ? this.#holders.get(identity) : this.basis.holders.get(identity);
  }

  judge(works: readonly Work[]): void {
    for (const work of works) {
      try {
        if (this.basis.broken.has(work.run)) throw this.basis.broken.get(work.run);
        const change = work.judge(this);
        if (change !== undefined) this.#take(change);
        this.#refusals.push(undefined);
      } catch (refusal) {
        this.#refusals.push(refusal);
      }
    }
  }

  get empty(): boolean {
    return this.#views.size === 0;
  }

  get refused(): boolean {
    return this.#refusals.some((refusal) => refusal !== undefined);
  }

  /** In the order of their ids, like every lock. */
  get runs(): readonly RunChange[] {
    return [...this.#views.values()]
      .sort((a, b) => (a.run < b.run ? -1 : 1))
      .map((view) => ({ was: this.basis.views.get(view.run), view }));
  }

  get identities(): readonly HolderChange[] {
    return [...this.#holders.keys()].sort().flatMap((identity) => {
      const was = this.basis.holders.get(identity);
      const holder = this.#holders.get(identity);
      return was === undefined && holder === undefined ? [] : [{ identity, was, holder }];
    });
  }

  get outcome(): Outcome {
    return {
      refusals: this.#refusals,
      appended: this.appended,
      views: [...this.#views.values()],
      holders: this.#holders,
    };
  }

  #take(change: Change): void {
    const { run } = change;
    this.#views.set(run, applyChange(this.view(run) ?? unknownRun(run), change));
    if (change.kind === "append") {
      this.appended.push(change);
      for (const { identity, seq, settled } of change.held) {
        this.#holders.set(identity, { run_id: run, seq, settled });
      }
      for (const identity of change.freed) this.#holders.set(identity, undefined);
    } else if (change.kind !== "open") this.others.push(change);
  }
}
