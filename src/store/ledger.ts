import {
  applyChange,
  unknownRun,
  type AppendChange,
  type Change,
  type HeldIdentity,
  type RunView,
} from "./changes.js";
import type { CallHolder } from "./event-store.js";
import { HeldTable, NOTHING_HELD, printOf, readHeld, type HeldList } from "./held-table.js";
import { PIECE_SIZE, type IndexEntry } from "./index-documents.js";
import type { Lookup } from "./judge.js";
import { RunOrder } from "./run-order.js";
import { hashIn, type LoggedEvent } from "./stored-event.js";
import { TailBudget } from "./tail-budget.js";
import type { FileStat } from "./write-layer.js";

/** What the document of a run holds: up to which change, how many events, and the hash of the last. */
export interface Covered {
  readonly change: number;
  readonly count: number;
  readonly tip: string;
  /** The document's file, as it was when it was written. */
  readonly file?: FileStat;
}

/** All that is in memory of a run. */
export interface LedgerRun {
  view: RunView;
  /** The last change of this run. */
  change: number;
  covered: Covered;
  /** The JSON texts of the events that no document holds yet. */
  tail: string[];
  /** Whether the tail has been checked against the chain; what this process appended is. */
  tailChecked: boolean;
  /** The identities that calls of this run hold. */
  held: HeldList;
  /** What became of identities since the document; absent while nothing did. `undefined` stands for one that is free again. */
  heldSince?: Map<string, HeldIdentity | undefined>;
  /** The hashes of the tail that an erased run had. */
  tombstone: readonly string[];
  /** The how manyth run this is. */
  readonly ordinal: number;
  /** The index document that lists this run. */
  readonly piece: number;
  /** Why the log cannot be read, once somebody has tried. */
  unreadable?: { readonly seq: number; readonly detail: string };
}

/** The durable state: every run without its older events, and who holds which identity. */
export class Ledger implements Lookup {
  readonly runs = new Map<string, LedgerRun>();
  readonly order = new RunOrder();
  /** The runs with changes that no document holds. */
  readonly dirty = new Set<LedgerRun>();
  /** The runs of each index document, and which of those documents no longer say what is so. */
  readonly pieces: LedgerRun[][] = [];
  readonly stalePieces = new Set<number>();
  /** Whether the journal holds an erasure, and with it maybe what was erased. */
  replayedErasure = false;
  /** What the tails of all runs take. */
  readonly tails: TailBudget;
  readonly #held = new HeldTable();

  /** @param tailChars how many characters of tails are kept before appends have to wait. */
  constructor(tailChars = Number.POSITIVE_INFINITY) {
    this.tails = new TailBudget(tailChars);
  }

  view(run: string): RunView | undefined {
    return this.runs.get(run)?.view;
  }

  holder(identity: string): CallHolder | undefined {
    const held = this.#held.get(printOf(identity));
    const run = held && this.#runAt(held.owner);
    return run && { run_id: run.view.run, seq: held.seq, settled: held.settled };
  }

  /** Takes in what the index or a document says of a run that is not known yet. */
  restore(entry: IndexEntry): LedgerRun {
    const run = this.#add(entry.view.run);
    // What is not said in the index is absent there.
    run.view = { ...run.view, ...entry.view };
    run.change = entry.change;
    run.covered = entry.covered;
    if (entry.unreadable !== undefined) run.unreadable = entry.unreadable;
    readHeld(entry.held, (print, seq, settled) => {
      // A damaged document may still name what its run has given free since.
      if (entry.unreadable === undefined || this.#held.get(print) === undefined) {
        this.#hold(run, print, seq, settled);
      }
    });
    if (run.view.state.nextSeq > 0) this.order.add(run.view);
    if (run.change > run.covered.change) this.dirty.add(run);
    return run;
  }

  /**
   * Takes in a change that has just become durable.
   *
   * @param view the run's view after it.
   */
  apply(change: Change, number: number, view: RunView): void {
    const run = this.runs.get(change.run) ?? this.#add(change.run);
    if (change.kind === "append") {
      for (const event of change.events) this.#keep(run, event);
      noteHeld(run, change);
    }
    this.#advance(run, change, number, view);
  }

  /** Takes in a change from the journal, as far as it is new: the documents may hold it, wholly or in part. */
  replay(change: Change, number: number): void {
    const run = this.runs.get(change.run) ?? this.#add(change.run);
    if (change.kind === "append" && !run.view.erased) {
      for (const event of change.events) {
        if (event.envelope.seq !== run.covered.count + run.tail.length) continue;
        this.#keep(run, event);
        run.tailChecked = false;
      }
    }
    if (change.kind === "append" && number > run.covered.change) noteHeld(run, change);
    if (change.kind === "erase") this.replayedErasure = true;
    if (number <= run.change) return;
    const next = run.view.state.nextSeq;
    const first = change.kind === "append" ? change.events[0]?.envelope.seq : next;
    if (first !== next) {
      run.unreadable ??= {
        seq: next,
        detail: `the journal goes on at seq ${first}; what lies between is gone`,
      };
    }
    this.#advance(run, change, number);
  }

  /** Notes that a document holds a run up to a change; `kept` is how much of the tail is newer. */
  cover(run: LedgerRun, covered: Covered, kept: number): void {
    const dropped = run.tail;
    run.covered = covered;
    run.tail = kept === 0 ? [] : run.tail.slice(-kept);
    this.stalePieces.add(run.piece);
    if (run.change === covered.change) this.dirty.delete(run);
    this.tails.free(charsOf(dropped) - charsOf(run.tail));
  }

  distrust(run: LedgerRun, seq: number, detail: string): void {
    run.unreadable ??= { seq, detail };
    this.stalePieces.add(run.piece);
  }

  /** What the index says of the runs of a piece, each as it is when its turn comes. */
  *entriesOf(piece: number): Generator<IndexEntry> {
    for (const run of this.pieces[piece] ?? []) yield this.entryOf(run);
  }

  /** What the index says of a run. */
  entryOf(run: LedgerRun): IndexEntry {
    const { view, change, covered, unreadable } = run;
    const held = this.heldBy(run);
    return { view, change, covered, held, ...(unreadable !== undefined && { unreadable }) };
  }

  /** The prints of what a run holds. */
  heldBy(run: LedgerRun): string {
    return this.#held.textOf(run.held);
  }

  #keep(run: LedgerRun, { text }: LoggedEvent): void {
    run.tail.push(text);
    this.tails.add(text.length);
  }

  #add(run: string): LedgerRun {
    const view = unknownRun(run);
    const ordinal = this.runs.size;
    const added: LedgerRun = {
      view,
      change: 0,
      covered: { change: 0, count: 0, tip: view.tip },
      tail: [],
      tailChecked: true,
      held: NOTHING_HELD,
      tombstone: [],
      ordinal,
      piece: Math.floor(ordinal / PIECE_SIZE),
    };
    this.runs.set(run, added);
    (this.pieces[added.piece] ??= []).push(added);
    return added;
  }

  #advance(run: LedgerRun, change: Change, number: number, view = applyChange(run.view, change)): void {
    const before = run.view;
    run.view = view;
    run.change = number;
    this.dirty.add(run);
    if (change.kind === "erase") {
      run.tombstone = run.tail.map(hashIn);
      this.tails.free(charsOf(run.tail));
      run.tail = [];
    } else if (change.kind === "append") {
      for (const { identity, seq, settled } of change.held) {
        this.#hold(run, printOf(identity), seq, settled);
      }
      for (const identity of change.freed) this.#free(run, printOf(identity));
    }
    if (before.state.nextSeq === 0 && run.view.state.nextSeq > 0) this.order.add(run.view);
    if (before.state.nextSeq > 0 && run.view.state.nextSeq === 0) this.order.remove(before);
  }

  #hold(run: LedgerRun, print: Uint32Array, seq: number, settled: boolean): void {
    const before = this.#held.get(print);
    const other = before && before.owner !== run.ordinal ? this.#runAt(before.owner) : undefined;
    if (other !== undefined) other.held = this.#held.delete(print, other.held);
    run.held = this.#held.set(print, { owner: run.ordinal, seq, settled }, run.held);
  }

  #free(run: LedgerRun, print: Uint32Array): void {
    if (this.#held.get(print)?.owner === run.ordinal) run.held = this.#held.delete(print, run.held);
  }

  #runAt(ordinal: number): LedgerRun | undefined {
    return this.pieces[Math.floor(ordinal / PIECE_SIZE)]?.[ordinal % PIECE_SIZE];
  }
}

/** Remembers the texts of identities until a document holds them. */
function noteHeld(run: LedgerRun, { held, freed }: AppendChange): void {
  if (held.length === 0 && freed.length === 0) return;
  run.heldSince ??= new Map();
  for (const each of held) run.heldSince.set(each.identity, each);
  for (const identity of freed) run.heldSince.set(identity, undefined);
}

function charsOf(texts: readonly string[]): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}
