import { applyChange, unknownRun, type Change, type HeldIdentity, type RunView } from "./changes.js";
import type { CallHolder } from "./event-store.js";
import type { Lookup } from "./judge.js";
import { RunOrder } from "./run-order.js";
import type { StoredEvent } from "./stored-event.js";

/** What a document holds of a run: up to which change, how many events, and the hash of the last. */
export interface Covered {
  readonly change: number;
  readonly count: number;
  readonly tip: string;
}

/** All that is in memory of a run. */
export interface LedgerRun {
  view: RunView;
  /** The last change of this run. */
  change: number;
  covered: Covered;
  /** The events that no document holds yet. */
  tail: StoredEvent[];
  /** The identities that calls of this run hold. */
  readonly identities: Set<string>;
  /** The hashes of the tail that an erased run had. */
  tombstone?: readonly string[];
  /** Why the log cannot be read, once somebody has tried. */
  unreadable?: { readonly seq: number; readonly detail: string };
}

/** The durable state: every run without its older events, and who holds which identity. */
export class Ledger implements Lookup {
  readonly runs = new Map<string, LedgerRun>();
  readonly order = new RunOrder();
  readonly #identities = new Map<string, CallHolder>();

  view(run: string): RunView | undefined {
    return this.runs.get(run)?.view;
  }

  holder(identity: string): CallHolder | undefined {
    return this.#identities.get(identity);
  }

  /** Takes in a change that has just become durable. */
  apply(change: Change, number: number): void {
    const run = this.runs.get(change.run) ?? this.#add(change.run);
    if (change.kind === "append") run.tail.push(...change.events);
    this.#advance(run, change, number);
  }

  /** Takes in a change from the journal, as far as it is new: the documents may hold it, wholly or in part. */
  replay(change: Change, number: number): void {
    const run = this.runs.get(change.run) ?? this.#add(change.run);
    if (change.kind === "append" && !run.view.erased) {
      for (const event of change.events) {
        if (event.envelope.seq === run.covered.count + run.tail.length) run.tail.push(event);
      }
    }
    if (number <= run.change) return;
    const next = run.view.state.nextSeq;
    const first = change.kind === "append" ? change.events[0]?.envelope.seq : next;
    if (first !== next) {
      run.unreadable ??= {
        seq: next,
        detail: `the journal goes on at seq ${first}, and what lies before is missing`,
      };
    }
    this.#advance(run, change, number);
  }

  #advance(run: LedgerRun, change: Change, number: number): void {
    const before = run.view;
    run.view = applyChange(before, change);
    run.change = number;
    if (change.kind === "erase") {
      run.tombstone = run.tail.map(({ hash }) => hash);
      run.tail = [];
    }
    if (change.kind === "append") {
      for (const held of change.held ?? []) this.#hold(run, held);
      for (const identity of change.freed ?? []) this.#free(run, identity);
    }
    this.#reorder(before, run.view);
  }

  #add(run: string): LedgerRun {
    const view = unknownRun(run);
    const added: LedgerRun = {
      view,
      change: 0,
      covered: { change: 0, count: 0, tip: view.tip },
      tail: [],
      identities: new Set(),
    };
    this.runs.set(run, added);
    return added;
  }

  #hold(run: LedgerRun, { identity, seq, settled }: HeldIdentity): void {
    run.identities.add(identity);
    this.#identities.set(identity, { run_id: run.view.run, seq, settled });
  }

  #free(run: LedgerRun, identity: string): void {
    run.identities.delete(identity);
    if (this.#identities.get(identity)?.run_id === run.view.run) this.#identities.delete(identity);
  }

  #reorder(before: RunView, after: RunView): void {
    if (before.state.nextSeq === 0 && after.state.nextSeq > 0) this.order.add(after);
    if (before.state.nextSeq > 0 && after.state.nextSeq === 0) this.order.remove(before);
  }
}
