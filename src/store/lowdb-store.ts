import { deepFreeze } from "../contract/deep-freeze.js";
import type { Envelope } from "../log/events.js";
import type { Change } from "./changes.js";
import type { Checkpoint } from "./checkpoint.js";
import { StoreUnavailable, TamperEvident } from "./errors.js";
import type {
  AppendUnit,
  CallHolder,
  EventStore,
  Execution,
  RefusedReport,
  RunOwnership,
  RunRecord,
  RunSummary,
  StoreHealth,
  SummaryPage,
  SummaryQuery,
  WaitNotices,
} from "./event-store.js";
import { Executions } from "./executions.js";
import { InFlight } from "./in-flight.js";
import { judgeAppend, judgeErase, judgeOpen, judgeRefusal, type Lookup } from "./judge.js";
import { changeLine, readChange } from "./journal-frame.js";
import type { JournalWriter } from "./journal-writer.js";
import type { Ledger } from "./ledger.js";
import type { FolderLock } from "./lock.js";
import type { LogReader } from "./log-reader.js";
import { newEvent } from "./stored-event.js";
import { Subscriptions } from "./subscriptions.js";
import { pageOf, recordOf, summaryOf } from "./summary-list.js";
import { asError } from "./write-layer.js";

export interface LowdbStoreParts {
  readonly notices: WaitNotices;
  readonly ledger: Ledger;
  readonly writer: JournalWriter;
  readonly lock: FolderLock;
  readonly reader: LogReader;
  readonly checkpoint: Checkpoint;
  readonly checkpointBytes: number;
  readonly idleMs: number;
}

/** The port on lowdb documents and a journal. */
export class LowdbStore implements EventStore {
  /** The folder is locked. */
  readonly exclusive = true;
  readonly notices: WaitNotices;
  readonly #parts: LowdbStoreParts;
  readonly #ledger: Ledger;
  readonly #writer: JournalWriter;
  readonly #inFlight: InFlight;
  readonly #subscriptions = new Subscriptions();
  readonly #executions = new Executions();
  readonly #ticker: NodeJS.Timeout;
  /** When something was last recorded. */
  #lastChange = performance.now();
  /** How many erasures were recorded, and how many of them have left nothing behind. */
  #erasures: number;
  #erased = 0;
  #ticking = false;
  #restUntil = 0;
  #repairing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LowdbStoreParts) {
    this.#parts = parts;
    this.notices = parts.notices;
    this.#ledger = parts.ledger;
    this.#writer = parts.writer;
    this.#inFlight = new InFlight(parts.ledger);
    this.#erasures = parts.ledger.replayedErasure ? 1 : 0;
    this.#ledger.tails.makeRoom = () => this.#checkpoint();
    this.#ticker = setInterval(
      () => {
        void this.#tick();
      },
      Math.min(TICK_MS, parts.idleMs),
    ).unref();
  }

  async append(run: string, events: readonly Envelope[], unit: AppendUnit = {}): Promise<void> {
    this.#refuseUnreadable(run);
    const added = events.map(newEvent);
    const write = (): Promise<void> => this.#change((look) => judgeAppend(look, run, added, unit));
    await (this.#ledger.tails.full ? this.#ledger.tails.wait(write) : write());
  }

  async openRun(run: string, lease: string, ownership: RunOwnership): Promise<{ readonly fresh: boolean }> {
    this.#refuseUnreadable(run);
    let fresh = false;
    await this.#change((look) => {
      fresh = look.view(run) === undefined;
      return judgeOpen(look, run, lease, ownership);
    });
    return { fresh };
  }

  async recordRefusal(run: string, report: RefusedReport): Promise<void> {
    this.#refuseUnreadable(run);
    await this.#change((look) => judgeRefusal(look, run, report));
  }

  async erase(run: string): Promise<void> {
    await this.#change((look) => judgeErase(look, run));
    this.#parts.reader.forget(run);
    if (this.#erased === this.#erasures) return;
    // The content still lies in the journal and in the document: it is gone once both are replaced.
    try {
      await this.#checkpoint();
    } catch (cause) {
      const { message } = asError(cause);
      throw new StoreUnavailable(
        `run ${run} is erased, but its content is still on disk: ${message}; erase it again`,
        {
          cause,
        },
      );
    }
  }

  async readLog(run: string, from = 0, limit = Number.POSITIVE_INFINITY): Promise<readonly Envelope[]> {
    const entry = this.#ledger.runs.get(run);
    if (entry === undefined || entry.view.erased) return [];
    return this.#parts.reader.read(entry, from, from + limit);
  }

  summaries(query: SummaryQuery = {}): Promise<SummaryPage> {
    return settle(() => pageOf(this.#ledger.order, (run) => this.#ledger.runs.get(run), query));
  }

  summary(run: string): Promise<RunSummary | undefined> {
    const entry = this.#ledger.runs.get(run);
    return Promise.resolve(entry && summaryOf(entry));
  }

  lookupCall(identity: string): Promise<CallHolder | undefined> {
    return Promise.resolve(this.#ledger.holder(identity));
  }

  readRun(run: string): Promise<RunRecord | undefined> {
    const entry = this.#ledger.runs.get(run);
    return Promise.resolve(entry && recordOf(entry));
  }

  holdExecution(run: string, execution: Execution, ttlMs: number): Promise<boolean> {
    return Promise.resolve(this.#executions.hold(run, execution, ttlMs));
  }

  releaseExecution(run: string, execution: Execution): Promise<void> {
    this.#executions.release(run, execution);
    return Promise.resolve();
  }

  execution(run: string): Promise<Execution | undefined> {
    return Promise.resolve(this.#executions.of(run));
  }

  subscribe(run: string, listener: (envelope: Envelope) => void): () => void {
    return this.#subscriptions.add(run, listener);
  }

  get health(): StoreHealth {
    const reason = this.#closing === undefined ? this.#writer.broken?.message : "the store is closed";
    return reason === undefined ? { writable: true } : { writable: false, reason };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#ticker);
    this.#ledger.tails.refuseWaiting(new StoreUnavailable("the store is closed"));
    await this.#writer.settled();
    // Without it the next start reads the journal: slower, and nothing is lost.
    if (this.#writer.repairable) await this.#checkpoint().catch(() => undefined);
    await this.#writer.close();
    this.#subscriptions.clear();
    await this.#parts.lock.release();
  }

  async #checkpoint(): Promise<void> {
    const erasures = this.#erasures;
    await this.#parts.checkpoint.run();
    this.#erased = Math.max(this.#erased, erasures);
  }

  /** Looks after what nobody asks for: a journal that can be written again, and one that is long or has been quiet. */
  async #tick(): Promise<void> {
    const now = performance.now();
    if (this.#ticking || now < this.#restUntil) return;
    this.#ticking = true;
    try {
      if (this.#writer.broken !== undefined) await this.#repair();
      const quiet = now - this.#lastChange >= this.#parts.idleMs && this.#ledger.dirty.size > 0;
      const long = this.#writer.bytes >= this.#parts.checkpointBytes;
      if (this.#erased < this.#erasures || long || quiet) await this.#checkpoint();
    } catch {
      // Tried again later; until then `health` says what is wrong with the journal.
      if (this.#writer.broken === undefined) this.#restUntil = now + REST_MS;
    } finally {
      this.#ticking = false;
    }
  }

  /** Nothing is built on a log that cannot be trusted. */
  #refuseUnreadable(run: string): void {
    const unreadable = this.#ledger.runs.get(run)?.unreadable;
    if (unreadable !== undefined) throw new TamperEvident(run, unreadable.seq, unreadable.detail);
  }

  /** Judges a change, writes it, and takes it in once it is durable. `undefined` changes nothing. */
  async #change(judge: (look: Lookup) => Change | undefined): Promise<void> {
    if (this.#closing !== undefined) throw new StoreUnavailable("the store is closed");
    if (this.#writer.broken !== undefined) await this.#repair();
    let change: Change | undefined;
    try {
      change = judge(this.#inFlight);
    } catch (refusal) {
      await this.#becauseOfDurable(judge, refusal);
      throw refusal;
    }
    if (change !== undefined) await this.#write(change);
  }

  /** A refusal must not rest on what is not durable yet: it is answered when that is, and not if it never will be. */
  async #becauseOfDurable(judge: (look: Lookup) => unknown, refusal: unknown): Promise<void> {
    if (this.#inFlight.empty) return;
    try {
      judge(this.#ledger);
    } catch {
      return;
    }
    await this.#writer.settled();
    const { broken } = this.#writer;
    if (broken !== undefined) throw new StoreUnavailable(broken.message, { cause: refusal });
  }

  #write(given: Change): Promise<void> {
    const line = changeLine(given);
    // What is kept is what a restart would find, and nobody else can change it. The events of an append are that already.
    const change = given.kind === "append" ? given : deepFreeze(readChange(line));
    const view = this.#inFlight.add(change);
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        line,
        commit: (number) => {
          this.#inFlight.remove(change);
          this.#ledger.apply(change, number, view);
          if (change.kind === "append") this.#parts.reader.took(change, line.length);
          this.#lastChange = performance.now();
          if (change.kind === "erase") this.#erasures += 1;
          if (change.kind === "append") this.#subscriptions.publish(change.run, change.events);
        },
        answer: resolve,
        fail: (error) => {
          this.#inFlight.remove(change);
          reject(error);
        },
      });
    });
  }

  /** One attempt for all who wait. */
  async #repair(): Promise<void> {
    if (!this.#writer.repairable && this.#writer.broken !== undefined) throw this.#writer.broken;
    this.#repairing ??= this.#writer
      .roll()
      .then(() => undefined)
      .finally(() => {
        this.#repairing = undefined;
      });
    await this.#repairing;
  }
}

/** How often the store looks after itself, in milliseconds. */
const TICK_MS = 1000;

/** How long it waits after a checkpoint that failed. */
const REST_MS = 30_000;

function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
