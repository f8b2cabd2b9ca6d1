import { CHAIN_START } from "../log/chain.js";
import type { Envelope } from "../log/events.js";
import { verifyChain } from "./chain-check.js";
import type { Change } from "./changes.js";
import { StoreUnavailable, TamperEvident } from "./errors.js";
import type {
  AppendUnit,
  CallHolder,
  EventStore,
  RefusedReport,
  RunOwnership,
  RunRecord,
  RunSummary,
  StoreHealth,
  SummaryPage,
  SummaryQuery,
} from "./event-store.js";
import { InFlight } from "./in-flight.js";
import { judgeAppend, judgeErase, judgeOpen, judgeRefusal, type Lookup } from "./judge.js";
import { changeLine, readChange } from "./journal-frame.js";
import type { JournalWriter } from "./journal-writer.js";
import type { Ledger, LedgerRun } from "./ledger.js";
import type { FolderLock } from "./lock.js";
import { Subscriptions } from "./subscriptions.js";
import { pageOf, summaryOf } from "./summary-list.js";

export interface LowdbStoreParts {
  readonly ledger: Ledger;
  readonly writer: JournalWriter;
  readonly lock: FolderLock;
}

/** The port on lowdb documents and a journal. */
export class LowdbStore implements EventStore {
  readonly #ledger: Ledger;
  readonly #writer: JournalWriter;
  readonly #lock: FolderLock;
  readonly #inFlight: InFlight;
  readonly #subscriptions = new Subscriptions();
  #repairing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ ledger, writer, lock }: LowdbStoreParts) {
    this.#ledger = ledger;
    this.#writer = writer;
    this.#lock = lock;
    this.#inFlight = new InFlight(ledger);
  }

  async append(run: string, events: readonly Envelope[], unit: AppendUnit = {}): Promise<void> {
    await this.#change((look) => judgeAppend(look, run, events, unit));
  }

  async openRun(run: string, lease: string, ownership: RunOwnership): Promise<{ readonly fresh: boolean }> {
    let fresh = false;
    await this.#change((look) => {
      fresh = look.view(run) === undefined;
      return judgeOpen(look, run, lease, ownership);
    });
    return { fresh };
  }

  async recordRefusal(run: string, report: RefusedReport): Promise<void> {
    await this.#change((look) => judgeRefusal(look, run, report));
  }

  async erase(run: string): Promise<void> {
    await this.#change((look) => judgeErase(look, run));
  }

  readLog(run: string, from = 0, limit = Number.POSITIVE_INFINITY): Promise<readonly Envelope[]> {
    const entry = this.#ledger.runs.get(run);
    if (entry === undefined) return Promise.resolve([]);
    const { unreadable } = entry;
    if (unreadable !== undefined) {
      return Promise.reject(new TamperEvident(run, unreadable.seq, unreadable.detail));
    }
    verifyChain(run, entry.tail, 0, CHAIN_START);
    return Promise.resolve(entry.tail.slice(from, from + limit).map(({ envelope }) => envelope));
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
    await this.#writer.close();
    this.#subscriptions.clear();
    await this.#lock.release();
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
    // What is kept is read back from the line: it is what a restart would find, and nobody else can change it.
    const change = readChange(line);
    if (change === undefined) throw new TypeError(`a change of run ${given.run} cannot be written as JSON`);
    this.#inFlight.add(change);
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        line,
        commit: (number) => {
          this.#inFlight.remove(change);
          this.#ledger.apply(change, number);
          if (change.kind === "append") this.#subscriptions.publish(change.run, change.events);
          resolve();
        },
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

function recordOf({ view }: LedgerRun): RunRecord {
  return {
    eventCount: view.state.nextSeq,
    ...(view.ownership !== undefined && { ownership: view.ownership }),
    ...(view.lease !== undefined && { lease: view.lease }),
    refusedReports: view.refused,
    erased: view.erased,
  };
}

function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
