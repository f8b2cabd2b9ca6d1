import { claimOutcome } from "../log/claim-outcome.js";
import { holds, type Envelope } from "../log/events.js";
import { attemptKey } from "../log/keys.js";
import type { IdentityChange } from "./event-store.js";

/**
 * What a whole log says its calls did to identities: for a log that comes without what was kept beside it. Every call under
 * a key that reaches past the attempt holds it, until a definite failure frees it; an answer settles it for good. A copy of
 * another call's answer, a `read`, and a key that names this attempt only, hold nothing.
 */
export function impliedIdentities(log: readonly Envelope[]): readonly IdentityChange[] {
  const changes: IdentityChange[] = [];
  const held = new Set<string>();
  for (const [index, intent] of log.entries()) {
    if (!holds(intent, "ToolCallRequested")) continue;
    const { tool, effect, idempotency_key: key, seq } = intent.event.payload;
    if (key === null || effect === "read" || key === attemptKey(intent.run_id, seq, tool) || held.has(key))
      continue;
    const completion = log[index + 1];
    if (!holds(completion, "ToolCallCompleted")) {
      changes.push({ change: "claim", identity: key, seq });
      held.add(key);
      continue;
    }
    if (completion.event.payload.deduplicated_from !== undefined) continue;
    const outcome = claimOutcome(completion.event.payload.output);
    if (outcome === "release") continue;
    changes.push({ change: "claim", identity: key, seq });
    held.add(key);
    // What a suspended call is resumed with is its answer.
    const isAnswered = outcome === "settle" || holds(log[index + 3], "Resumed");
    if (isAnswered) changes.push({ change: "settle", identity: key });
  }
  return changes;
}
