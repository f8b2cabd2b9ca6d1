import type { ClientConfig } from "pg";
import type { Envelope } from "../../log/events.js";
import { parseRunId } from "../../log/run-id.js";
import type { Change } from "../changes.js";
import { StoreUnavailable, TamperEvident } from "../errors.js";
import type {
  AppendUnit,
  CallHolder,
  DriverPresence,
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
} from "../event-store.js";
import { judgeAppend, judgeErase, judgeOpen, judgeRefusal, type Lookup } from "../judge.js";
import type { PostgresStoreOptions } from "../open-postgres-store.js";
import { newEvent } from "../stored-event.js";
import { Bulletin } from "./bulletin.js";
import { Readers } from "./connections.js";
import { current, hold, release } from "./executions.js";
import { Feeds } from "./feeds.js";
import { checkedLog, readRows, type LogRow } from "./log-rows.js";
import { DatabaseNotices } from "./notices.js";
import { Presence } from "./presence.js";
import { countsQuestion, holderQuestion, recordOf, recordQuestion, type RecordRow } from "./questions.js";
import { readPage, readSummary, summaryOf, type SummaryRow } from "./summary-rows.js";
import { Writers } from "./writers.js";

/** The port on PostgreSQL. Nothing is cached that another server could have changed without this one noticing. */
export class PostgresStore implements EventStore {
  readonly #writers: Writers;
  readonly #readers: Readers;
  readonly #feeds: Feeds;
  readonly #bulletin: Bulletin;
  readonly #presence: Presence;
  readonly #ticker: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(config: ClientConfig, options: PostgresStoreOptions) {
    this.#readers = new Readers(config, options.readers ?? 3);
    this.#feeds = new Feeds({
      counts: async (runs) => {
        const rows = await this.#readers.rows<{ run: string; next_seq: number }>(countsQuestion(runs));
        return new Map(rows.map(({ run, next_seq }) => [run, next_seq]));
      },
      readLog: (run, from, limit) => this.#read(run, from, limit),
    });
    this.#bulletin = new Bulletin({
      config,
      onCount: (run, count) => {
        this.#feeds.notice(run, count);
      },
      onDriver: (run) => {
        this.#presence.heard(run);
      },
      onUp: () => {
        this.#catchUp();
      },
    });
    this.#presence = new Presence((run) => {
      this.#bulletin.tellDriver(run);
    });
    this.#writers = new Writers(config, {
      lanes: options.lanes ?? 2,
      onNews: options.onNews ?? (() => undefined),
      onCommitted: async ({ appended, views }) => {
        for (const { run, state } of views)
          if (state.nextSeq > 0) this.#bulletin.tellCount(run, state.nextSeq);
        for (const { run, events } of appended)
          if (this.#feeds.has(run)) await this.#feeds.publish(run, events);
      },
    });
    this.#ticker = setInterval(() => {
      this.#catchUp();
    }, options.catchUpMs ?? 2000).unref();
  }

  /** Makes every connection. */
  async start(): Promise<void> {
    await Promise.all([this.#writers.start(), this.#readers.start(), this.#bulletin.start()]);
  }

  async append(run: string, events: readonly Envelope[], unit: AppendUnit = {}): Promise<void> {
    const added = events.map(newEvent);
    const size = added.reduce((sum, { json }) => sum + json.length, 0);
    const identities = (unit.identities ?? []).map(({ identity }) => identity);
    await this.#change(run, (look) => judgeAppend(look, run, added, unit), { identities, size });
  }

  async openRun(run: string, lease: string, ownership: RunOwnership): Promise<{ readonly fresh: boolean }> {
    let fresh = false;
    await this.#change(run, (look) => {
      fresh = look.view(run) === undefined;
      return judgeOpen(look, run, lease, ownership);
    });
    return { fresh };
  }

  async recordRefusal(run: string, report: RefusedReport): Promise<void> {
    await this.#change(run, (look) => judgeRefusal(look, run, report));
  }

  async erase(run: string): Promise<void> {
    await this.#change(run, (look) => judgeErase(look, run));
  }

  async readLog(run: string, from = 0, limit = Number.POSITIVE_INFINITY): Promise<readonly Envelope[]> {
    await this.#feeds.begun(run);
    return this.#read(run, from, limit);
  }

  async summaries(query: SummaryQuery = {}): Promise<SummaryPage> {
    return readPage(query, (question) => this.#readers.rows<SummaryRow>(question));
  }

  async summary(run: string): Promise<RunSummary | undefined> {
    const id = parseRunId(run);
    const [row] = id === undefined ? [] : await this.#readers.rows<SummaryRow>(readSummary(id));
    return row === undefined || row.erased ? undefined : summaryOf(row);
  }

  async lookupCall(identity: string): Promise<CallHolder | undefined> {
    const [row] = await this.#readers.rows<{ run: string; seq: number; settled: boolean }>(
      holderQuestion(identity),
    );
    return row === undefined ? undefined : { run_id: row.run, seq: row.seq, settled: row.settled };
  }

  async readRun(run: string): Promise<RunRecord | undefined> {
    const id = parseRunId(run);
    const [row] = id === undefined ? [] : await this.#readers.rows<RecordRow>(recordQuestion(id));
    return row === undefined ? undefined : recordOf(row);
  }

  async holdExecution(run: string, execution: Execution, ttlMs: number): Promise<boolean> {
    return (await this.#readers.rows(hold(run, execution, ttlMs))).length > 0;
  }

  async releaseExecution(run: string, execution: Execution): Promise<void> {
    await this.#readers.rows(release(run, execution));
  }

  async execution(run: string): Promise<Execution | undefined> {
    const [row] = await this.#readers.rows<{ seq: number; holder: string }>(current(run));
    return row;
  }

  subscribe(run: string, listener: (envelope: Envelope) => void): () => void {
    return this.#feeds.add(run, this.#writers.nextOf(run), listener);
  }

  get presence(): DriverPresence {
    return this.#presence;
  }

  readonly notices: WaitNotices = new DatabaseNotices((question) => this.#readers.rows(question));

  get health(): StoreHealth {
    if (this.#closing !== undefined) return { writable: false, reason: "the store is closed" };
    return this.#writers.health;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearInterval(this.#ticker);
    await this.#writers.close();
    this.#feeds.clear();
    await Promise.all([this.#readers.close(), this.#bulletin.close()]);
  }

  async #read(run: string, from: number, limit: number): Promise<readonly Envelope[]> {
    const id = parseRunId(run);
    if (id === undefined) return [];
    const rows = await this.#readers.rows<LogRow>(readRows(id, from, from + limit));
    try {
      return await checkedLog(id, rows, from, from + limit);
    } catch (error) {
      if (error instanceof TamperEvident) await this.#distrust(error);
      throw error;
    }
  }

  /** Every server is to know that nothing may be added to a log that is not what was recorded. */
  async #distrust({ run, seq, message }: TamperEvident): Promise<void> {
    await this.#readers.rows({
      text: "UPDATE salvor.runs SET unreadable_seq = $2, unreadable_why = $3 WHERE run = $1 AND unreadable_seq IS NULL",
      values: [run, seq, message],
    });
  }

  async #change(
    run: string,
    judge: (look: Lookup) => Change | undefined,
    more: { readonly identities?: readonly string[]; readonly size?: number } = {},
  ): Promise<void> {
    if (this.#closing !== undefined) throw new StoreUnavailable("the store is closed");
    if (parseRunId(run) !== run)
      throw new TypeError(`${JSON.stringify(run)} is no run id: a lower-case UUID is`);
    await this.#writers.change(run, judge, more);
  }

  #catchUp(): void {
    void this.#feeds.catchUp().catch(() => undefined);
  }
}
