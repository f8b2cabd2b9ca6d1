import type { JsonValue } from "../contract/json.js";
import type { Timing } from "../contract/perform-call.js";
import type { ToolLog } from "../contract/tool-handler.js";

/** What a run is started with; recorded. */
export interface RunStart {
  /** What the run is for. */
  readonly input: JsonValue;
  /** Names the version of the program: a log is only replayed by the program that wrote it. */
  readonly agentDefHash: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** A UUID; minted when absent. Keep it: it is how another process goes on with the run. */
  readonly runId?: string | undefined;
}

export interface DurableRunOptions {
  /** Where tools say what they are doing; nowhere unless given. */
  readonly log?: ToolLog | undefined;
  /** How retries and timeouts wait; the wall clock and `Math.random` unless given. */
  readonly timing?: Timing | undefined;
  /** Where `random()` takes unsigned 64-bit numbers from; the system's secure source unless given. */
  readonly randomU64?: (() => bigint) | undefined;
}

export interface ResumeOptions extends DurableRunOptions {
  /** Compared with what the run was started with, when given. */
  readonly agentDefHash?: string | undefined;
}

export interface DurableCallOptions {
  /**
   * Gives the call up; its promise rejects with the signal's reason. A `read` or `idempotent` call stays open and is executed
   * again when it is asked for again; a `write` that had begun is recorded if it ends within a second, else it is unknown.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What a person says about a `write` that nobody knows the outcome of. */
export type Decision = {
  /** The position of its intent. */
  readonly seq: number;
  readonly operator?: string;
  readonly note?: string;
} & (
  | { /** It happened, and this came of it. */ readonly output: JsonValue }
  | { /** It did not happen. */ readonly notPerformed: true }
);
