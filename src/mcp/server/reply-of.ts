import { holds, type Envelope } from "../../log/events.js";
import type { RecordedCall } from "../../log/recorded-call.js";
import type { CallReply } from "./served-tools.js";

type Output = Extract<CallReply, { readonly kind: "output" }>;

/** A call that has an end, or that nobody performs any more. */
export type CallEnd = Exclude<RecordedCall, { readonly kind: "nothing" | "other" }>;

/**
 * What is to be answered about a call.
 *
 * @param completion what is recorded behind its intent.
 */
export function replyOf(
  end: CallEnd,
  completion: Envelope | undefined,
  about: { readonly isFresh: boolean; readonly answered: () => Output["answered"] },
): CallReply {
  const { run_id, seq, event } = end.intent;
  const at = { run_id, seq };
  if (end.kind === "open") return { kind: "unknown", at, key: event.payload.idempotency_key };
  if (end.kind === "suspended") {
    return { kind: "suspended", at, reason: end.reason, inputSchema: end.inputSchema };
  }
  if (end.result.kind === "failure") return { kind: "failed", at, failure: end.result.failure };
  const payload = holds(completion, "ToolCallCompleted") ? completion.event.payload : undefined;
  const from = payload?.deduplicated_from;
  // A call that was suspended, or that a person settled, has an answer that its tool never gave.
  const isOwn = end.next === seq + 2 && payload?.resolved_by === undefined && from === undefined;
  return {
    kind: "output",
    at,
    output: end.result.output,
    fresh: about.isFresh && isOwn,
    ...(from !== undefined && { deduplicatedFrom: from }),
    answered: about.answered(),
  };
}
