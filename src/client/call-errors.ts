import type { Intent } from "../log/recorded-call.js";
import type { CallName } from "./run-errors.js";
import { DivergenceError, NeedsReconciliationError, type OpenIntent, type Report } from "./wire-errors.js";

/** The decision that an open `write` asks for. */
export function needsReconciliation(run: string, intent: OpenIntent): NeedsReconciliationError {
  const { seq, tool, idempotency_key: key } = intent;
  return new NeedsReconciliationError(
    `${tool} (call ${seq} of run ${run}) is a write that was opened and has no recorded end: it may have happened, and is ` +
      `not performed again. Look it up by its key ${String(key)} and settle it: POST /v1/runs/${run}/resolve, or: salvor resolve ${run}`,
    { code: "needs_reconciliation" },
    intent,
  );
}

/** An intent without its completion, as the wire describes one. */
export function openIntentOf({ event, recorded_at }: Intent): OpenIntent {
  const { seq, tool, input, effect, idempotency_key } = event.payload;
  return { kind: "tool", seq, tool, input, effect, idempotency_key, recorded_at };
}

/** A call ended in the log before its report arrived, and differently: what happened here and what is recorded are not one. */
export function reportDiffers(
  call: CallName,
  report: Report,
  recorded: unknown,
  refusal: DivergenceError,
): DivergenceError {
  const { code, status, details, message } = refusal;
  return new DivergenceError(
    `${call.tool} (call ${call.seq}, key ${String(call.idempotencyKey)}) ran, and its report contradicts the log: ${message}. ` +
      "Tell whoever settled it what was reported.",
    { code, status, details, cause: refusal },
    { position: call.seq + 1, recorded, asked: report },
  );
}
