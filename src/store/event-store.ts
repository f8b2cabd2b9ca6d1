import type { JsonValue } from "../contract/json.js";
import type { CallPosition, Envelope, Usage } from "../log/events.js";
import type { PendingCall, RunStateName, RunStatus } from "../log/fold.js";

/**
 * Where logs live, and the only way to persist anything. A store keeps what it is given: it does not run the append guard
 * and never sees a declaration. Every promise of a change resolves only when the change is durable; until then nobody,
 * this process included, can read it.
 */
export interface EventStore {
  /**
   * Appends events to a run, and what belongs to them, as one durable unit: all of it or nothing, also on disk.
   *
   * @param events at the run's next positions, in order; at least one.
   * @throws {@link Conflict} when the first position is not the run's next, or when a claimed identity is held.
   * @throws {@link LeaseLost} when `unit.lease` is not the run's current lease.
   * @throws {@link RunErased} when the run was erased.
   * @throws {@link TamperEvident} when the run's log is known not to be what was recorded: nothing is added to it.
   * @throws {@link StoreUnavailable} when it could not be written; the append is then never shown by this process.
   */
  append(run: string, events: readonly Envelope[], unit?: AppendUnit): Promise<void>;

  /**
   * The run's durable events from a position on, at most `limit`; empty for a run that this store does not know.
   *
   * @throws {@link TamperEvident} when the hash chain does not hold, naming run and seq.
   */
  readLog(run: string, from?: number, limit?: number): Promise<readonly Envelope[]>;

  /**
   * One page of summaries, oldest first (by first event, then id) unless asked otherwise. Runs without an event are not listed. Never parses whole
   * logs.
   *
   * @throws {@link UnknownCursor} when `query.after` is no cursor of this store.
   */
  summaries(query?: SummaryQuery): Promise<SummaryPage>;

  /** The summary of one run, or `undefined` when it has no event. */
  summary(run: string): Promise<RunSummary | undefined>;

  /** Who holds an identity, or `undefined` when nobody does. */
  lookupCall(identity: string): Promise<CallHolder | undefined>;

  /** What is kept beside a run's log, or `undefined` for a run that this store does not know. */
  readRun(run: string): Promise<RunRecord | undefined>;

  /**
   * Takes a run over for a client: records ownership when the run is new and replaces its lease, durably. The lease before
   * it no longer holds from then on.
   *
   * @returns whether the run is new to this store.
   * @throws {@link ForeignRun} when the id has history that no client owns.
   * @throws {@link TamperEvident} when the run's log is known not to be what was recorded.
   * @throws {@link RunErased} when the run was erased.
   */
  openRun(run: string, lease: string, ownership: RunOwnership): Promise<{ readonly fresh: boolean }>;

  /**
   * Keeps a refused report beside the log, durably: the last {@link KEPT_REPORTS} of each intent that differ in more than
   * their time. One that is repeated is kept once, with its last time.
   *
   * @throws RangeError when the store does not know the run.
   */
  recordRefusal(run: string, report: RefusedReport): Promise<void>;

  /**
   * Says that `holder` performs the call at `seq` of this run, until `ttlMs` from now unless it says so again. Taken before the
   * intent is appended, so whoever reads a dangling intent and then this sees the execution. Expires by itself: nothing
   * durable hangs on it.
   *
   * @returns whether it is held by `holder` now; false while another one's has not expired.
   */
  holdExecution(run: string, execution: Execution, ttlMs: number): Promise<boolean>;

  /** Lets go of an execution; nothing happens when `holder` does not hold it. */
  releaseExecution(run: string, execution: Execution): Promise<void>;

  /** The execution of this run that has not expired, or `undefined`. */
  execution(run: string): Promise<Execution | undefined>;

  /** Calls a listener with each event of a run from now on, in order, once it is durable. Answers the way to stop. */
  subscribe(run: string, listener: (envelope: Envelope) => void): () => void;

  /**
   * Erases the content of a run that has ended. A tombstone stays: the id answers {@link RunErased}, and the identities
   * that it settled stay settled.
   *
   * @throws {@link NotTerminal} when the run has not ended.
   */
  erase(run: string): Promise<void>;

  /** What servers that share this store tell each other; absent where a store has one server. */
  readonly presence?: DriverPresence;

  /** Who was told that a run waits; absent where a store does not keep it, and a server then only remembers it. */
  readonly notices?: WaitNotices;

  /** Whether nobody but this process appends, so that what was seen here is all there is. */
  readonly exclusive?: boolean;

  /** Whether appends are accepted right now, and if not, why. */
  readonly health: StoreHealth;

  /** Finishes what is being written and lets go of everything. Idempotent. */
  close(): Promise<void>;
}

/**
 * Tells servers that share a store whose drivers were seen. A hint: it is kept nowhere, and may be lost.
 */
export interface DriverPresence {
  /** The driver of a run presented its current token to this server just now. */
  announce(run: string): void;
  /** Calls a listener with each run whose driver some server has seen. Answers the way to stop. */
  subscribe(listener: (run: string) => void): () => void;
}

/**
 * Keeps who was told of which wait of a run, over restarts and for every server of the store. A wait is known by the position
 * at which the run waits; later waits of a run have higher ones.
 */
export interface WaitNotices {
  /**
   * Takes it on to tell of a wait.
   *
   * @returns true for one `holder` at a time, until `ttlMs` from now; false once it was told, for good.
   * @throws {@link StoreUnavailable} or another error of the store when it cannot be read.
   */
  claim(run: string, seq: number, holder: string, ttlMs: number): Promise<boolean>;
  /**
   * It was told. Durable once this resolves.
   *
   * @throws {@link StoreUnavailable} when it could not be written; it is then told again one day.
   */
  told(run: string, seq: number): Promise<void>;
}

/** What travels inside an append besides its events. */
export interface AppendUnit {
  /** Hash of the lease that the appending driver holds: compared with the run's current one inside the append. */
  readonly lease?: string;
  /** What becomes of identities with it, in this order. */
  readonly identities?: readonly IdentityChange[];
}

/** What an append does to an identity. An append that closes one call and opens the next does more than one of these. */
export type IdentityChange =
  /** It is held for the call at `seq` of this run from now on; refused with {@link Conflict} while anybody holds it. */
  | { readonly change: "claim"; readonly identity: string; readonly seq: number }
  /** Its call has settled it: it stays held, for good, by a call with an answer. */
  | { readonly change: "settle"; readonly identity: string }
  /** It is free again. */
  | { readonly change: "release"; readonly identity: string };

/** The call that holds an identity, and whether it has an answer. */
export interface CallHolder extends CallPosition {
  readonly settled: boolean;
}

/** Who performs the call at a position of a run right now. */
export interface Execution {
  readonly seq: number;
  /** Names one performance of a call, and no other, anywhere. */
  readonly holder: string;
}

/** Who drives a run, and on what terms; recorded when it is opened. */
export interface RunOwnership {
  readonly kind: "client";
  /** Whether the bodies of model calls are kept. */
  readonly record_prompts: boolean;
  readonly agent?: JsonValue;
}

/** What is kept beside a log. */
export interface RunRecord {
  /** How many durable events the run has. */
  readonly eventCount: number;
  /** Absent for a run that no client opened. */
  readonly ownership?: RunOwnership;
  /** SHA-256 of the current drive token. */
  readonly lease?: string;
  readonly refusedReports: readonly RefusedReport[];
  readonly erased: boolean;
}

/** How many refused reports are kept for one intent. */
export const KEPT_REPORTS = 5;

/** A client's report that was not believed, kept for the person who will settle the call. */
export interface RefusedReport {
  /** The intent that was reported on. */
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  /** The error code and message that the client was answered. */
  readonly code: string;
  readonly message: string;
  readonly output?: JsonValue;
  readonly error?: JsonValue;
  readonly suspend?: JsonValue;
  /** Stands for a report that was too large to keep: its length as JSON, and the hash of its canonical text. */
  readonly omitted?: { readonly bytes: number; readonly hash: string };
}

/** What a list shows of a run without reading its log. */
export interface RunSummary {
  readonly run: string;
  /** Absent, with everything that comes from the log's content, when the log cannot be read. */
  readonly content?: RunSummaryContent;
  readonly eventCount: number;
  readonly firstRecordedAt: string;
  readonly lastRecordedAt: string;
}

export interface RunSummaryContent {
  readonly status: RunStatus;
  readonly usage: Usage;
  readonly stepCount: number;
  readonly agentDefHash: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly pending: PendingCall | null;
  /** Whether a client performs the pending call. */
  readonly pendingByClient: boolean;
  /** Whether a report on the pending call was refused. */
  readonly pendingRefused: boolean;
  readonly clientOwned: boolean;
}

export interface SummaryQuery {
  /** At most this many; every run when absent. */
  readonly limit?: number;
  /** A cursor from an earlier page. */
  readonly after?: string;
  /** Only runs in one of these states. */
  readonly states?: readonly RunStateName[];
  /** Oldest first unless given. A cursor goes on in whichever order it is used with. */
  readonly order?: "oldest" | "newest";
}

export interface SummaryPage {
  readonly runs: readonly RunSummary[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export type StoreHealth = { readonly writable: true } | { readonly writable: false; readonly reason: string };
