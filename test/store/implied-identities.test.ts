import { strict as assert } from "node:assert";
import { describe, it } from "node:test";
import type { JsonValue } from "#salvor/contract/json.js";
import { failureOutput, suspensionOutput } from "#salvor/contract/reserved.js";
import { envelopeOf, type Envelope, type RunEvent } from "#salvor/log/events.js";
import { attemptKey } from "#salvor/log/keys.js";
import { impliedIdentities } from "#salvor/store/implied-identities.js";

const RUN = "11111111-0000-4000-8000-000000000000";

function logOf(...events: readonly RunEvent[]): Envelope[] {
  const start: RunEvent = { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } };
  return [start, ...events].map((event, seq) => envelopeOf(RUN, seq, "2026-01-01T00:00:00Z", event));
}

function intent(seq: number, key: string | null, effect: "read" | "write" = "write"): RunEvent {
  return {
    kind: "ToolCallRequested",
    payload: { seq, tool: "pay", input: {}, effect, idempotency_key: key },
  };
}

function completion(seq: number, output: JsonValue, more: object = {}): RunEvent {
  return { kind: "ToolCallCompleted", payload: { seq, output, ...more } };
}

const CLAIM = { change: "claim", identity: "order", seq: 1 } as const;
const SETTLE = { change: "settle", identity: "order" } as const;
const suspension = suspensionOutput("which account?", true);
const suspended: RunEvent = { kind: "Suspended", payload: { reason: "which account?", input_schema: true } };

describe("what a log implies about identities", () => {
  for (const [name, log, expected] of [
    ["an open call holds its key", logOf(intent(1, "order")), [CLAIM]],
    ["an answer settles it", logOf(intent(1, "order"), completion(1, "paid")), [CLAIM, SETTLE]],
    [
      "a definite failure frees it",
      logOf(intent(1, "order"), completion(1, failureOutput("handler", "no", 1))),
      [],
    ],
    [
      "a failure that may have happened settles it",
      logOf(intent(1, "order"), completion(1, failureOutput("output_serialization", "no", 1))),
      [CLAIM, SETTLE],
    ],
    ["a suspension keeps it open", logOf(intent(1, "order"), completion(1, suspension), suspended), [CLAIM]],
    [
      "what it is resumed with settles it",
      logOf(intent(1, "order"), completion(1, suspension), suspended, {
        kind: "Resumed",
        payload: { input: "1" },
      }),
      [CLAIM, SETTLE],
    ],
    [
      "an abandoned call still holds it",
      logOf(intent(1, "order"), {
        kind: "RunAbandoned",
        payload: { unresolved_write: { seq: 1, tool: "pay" } },
      }),
      [CLAIM],
    ],
    [
      "a copied answer holds nothing",
      logOf(intent(1, "order"), completion(1, "paid", { deduplicated_from: { run_id: RUN, seq: 9 } })),
      [],
    ],
    ["a read holds nothing", logOf(intent(1, "order", "read"), completion(1, "seen")), []],
    ["a key of this attempt holds nothing", logOf(intent(1, attemptKey(RUN, 1, "pay"))), []],
    ["no key holds nothing", logOf(intent(1, null)), []],
    [
      "the call after a failure holds it",
      logOf(
        intent(1, "order"),
        completion(1, failureOutput("handler", "no", 1)),
        intent(3, "order"),
        completion(3, "paid"),
      ),
      [{ ...CLAIM, seq: 3 }, SETTLE],
    ],
    [
      "the first of two answers holds it",
      logOf(intent(1, "order"), completion(1, "paid"), intent(3, "order"), completion(3, "again")),
      [CLAIM, SETTLE],
    ],
  ] as const) {
    it(name, () => {
      assert.deepEqual(impliedIdentities(log), expected);
    });
  }
});
