import type { Intent } from "../../log/recorded-call.js";
import { ApiError } from "../api-error.js";

/** The refusal of whatever has to wait until a person has settled a write; `intent` is that write's. */
export function needsReconciliation(run: string, intent: Intent): ApiError {
  const { seq, tool, input, effect, idempotency_key } = intent.event.payload;
  return new ApiError(
    "needs_reconciliation",
    `run ${run} waits for the outcome of a write: settle it at /v1/runs/${run}/resolve`,
    {
      details: {
        intent: { kind: "tool", seq, tool, input, effect, idempotency_key, recorded_at: intent.recorded_at },
      },
    },
  );
}
