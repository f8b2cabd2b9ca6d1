import type { JsonSchema, JsonValue } from "../contract/json.js";
import { HeldBackError } from "./passing-errors.js";
import { OutputRefusedError, SuspendedError, UnknownOutcomeError } from "./run-errors.js";
import { SalvorError } from "./salvor-error.js";
import { CompletionRefusedError, NeedsReconciliationError } from "./wire-errors.js";

/** A call that goes on only when a person has acted, as plain data: what an agent's framework shows, keeps and hands on. */
export interface RunWait {
  /** Whether somebody has to find out what a call came to (`resolve`), or to answer what it asks (`resume`). */
  readonly kind: "reconciliation" | "suspension";
  readonly runId: string;
  /** The position of the call's intent. */
  readonly seq: number;
  /** The position that a person names: of the intent for `resolve`, of the suspension for `resume`. */
  readonly pendingAt: number;
  readonly tool: string;
  readonly input: JsonValue;
  /** What a provider knows the call by. */
  readonly idempotencyKey: string | null;
  /** What is asked of the person, or why nobody knows how the call ended. */
  readonly reason: string;
  /** What an acceptable answer looks like; of a suspension only. */
  readonly inputSchema?: JsonSchema;
}

/**
 * A call of an {@link AgentRun} waits for a person. The agent must stop here: told as an answer to its model, it would be asked
 * for again. When the person has acted, the same call answers what came of it.
 */
export class WaitingError extends SalvorError {
  override readonly name = "WaitingError";

  constructor(
    /** What it waits for. */
    readonly wait: RunWait,
    cause: unknown,
  ) {
    super(
      `${wait.tool} (call ${wait.seq} of run ${wait.runId}) waits for a person: ${wait.reason}. ` +
        (wait.kind === "suspension"
          ? `Next: salvor resume ${wait.runId}`
          : `Next: salvor resolve ${wait.runId}`),
      { code: "waiting", cause },
    );
  }
}

/**
 * What an error of an {@link AgentRun} waits for, also when it says that a call was held back behind the one that waits.
 *
 * @returns `undefined` when no person has to act.
 */
export function waitOf(error: unknown): RunWait | undefined {
  if (error instanceof WaitingError) return error.wait;
  return error instanceof HeldBackError ? waitOf(error.cause) : undefined;
}

/** Which call an error of a run leaves for a person, and what it says of it; `undefined` for any other error. */
export function waitingCall(
  error: unknown,
): Pick<RunWait, "kind" | "seq" | "pendingAt" | "reason" | "inputSchema"> | undefined {
  if (error instanceof SuspendedError) {
    const { seq, suspendedAt: pendingAt, reason, inputSchema } = error;
    return { kind: "suspension", seq, pendingAt, reason, inputSchema };
  }
  const seq = openSeq(error);
  if (seq === undefined || !(error instanceof Error)) return undefined;
  return { kind: "reconciliation", seq, pendingAt: seq, reason: error.message };
}

function openSeq(error: unknown): number | undefined {
  if (error instanceof NeedsReconciliationError) return error.intent?.seq;
  const isOpen =
    error instanceof UnknownOutcomeError ||
    error instanceof OutputRefusedError ||
    error instanceof CompletionRefusedError;
  return isOpen ? error.seq : undefined;
}
