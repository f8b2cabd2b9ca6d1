import type { JsonValue } from "../contract/json.js";
import type { ToolLog } from "../contract/tool-handler.js";
import type { CallOptions } from "./client-options.js";

export interface PlacedOptions extends CallOptions {
  /**
   * The position where this goes, for a program that keeps its place by other means than making everything again in the recorded
   * order. What is recorded there has to be this; where nothing is, it has to be the end of the log.
   */
  readonly at?: number | undefined;
}

export interface PerformOptions extends PlacedOptions {
  /**
   * This is another call, although the same one was performed before, threw, and was passed by the calls behind it: without
   * this it is a {@link PassedCallError}. Calls that were answered, and calls in their order or with `at`, never need it.
   */
  readonly another?: boolean | undefined;
  /**
   * Nobody asks for it any more: a `write` that this instance opened and has not handed to its tool is recorded as failed, and not
   * performed.
   */
  readonly isWithdrawn?: boolean | undefined;
}

export interface OpenOptions extends CallOptions {
  /** A UUID; minted when absent. Keep it: it is how another process goes on with the run. */
  readonly runId?: string | undefined;
  /**
   * A drive token that is still held: the run goes on under it and is not opened again. One token, one driver: a process
   * that takes over from another one leaves this out, which ends the other's right to drive.
   */
  readonly driveToken?: string | undefined;
  /** What the run is for; recorded when it starts, compared when it goes on. */
  readonly input?: JsonValue | undefined;
  /** Names the version of the program that drives; recorded when the run starts, compared when it goes on. */
  readonly agentDefHash?: string | undefined;
  /** At most 16, recorded when the run starts. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Whether the requests of model calls are recorded too, and not only their hashes. Said when the run is opened for the first time. */
  readonly recordPrompts?: boolean | undefined;
  /** Kept beside the run when it is opened for the first time. */
  readonly agent?: JsonValue | undefined;
  /** Where tools say what they are doing; nowhere unless given. */
  readonly log?: ToolLog | undefined;
}
