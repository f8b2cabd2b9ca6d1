import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { eventWords, toolIntentsOf } from "#salvor/cli/event-words.js";
import { EVENT_KINDS, envelopeOf, type RunEvent } from "#salvor/log/events.js";

const RUN = "00000000-0000-4000-8000-000000000001";
const KEY = `sha256:${"0123456789abcdef".repeat(4)}`;

const intent: RunEvent = {
  kind: "ToolCallRequested",
  payload: {
    seq: 1,
    tool: "refund_card",
    input: { order_id: "A-1", amount_cents: 500 },
    effect: "write",
    idempotency_key: KEY,
    performed_by: "client",
  },
};

function told(event: RunEvent): string {
  return eventWords(event, toolIntentsOf([envelopeOf(RUN, 1, "2026-01-01T00:00:00Z", intent)]));
}

describe("an event in words", () => {
  it("tells what was asked for, its effect, its key and who performs it", () => {
    assert.equal(
      told(intent),
      'refund_card is asked for with {"order_id":"A-1","amount_cents":500} (write, key sha256:0123456789ab…, by the client)',
    );
  });

  it("tells a completion by the tool of its intent", () => {
    assert.equal(
      told({ kind: "ToolCallCompleted", payload: { seq: 1, output: { id: "re_1" } } }),
      'refund_card #1 answers {"id":"re_1"} (write, by the client)',
    );
  });

  it("tells who settled a call, and why", () => {
    assert.equal(
      told({
        kind: "ToolCallCompleted",
        payload: {
          seq: 1,
          output: { __salvor_error: { is_error: true, kind: "handler", message: "no", attempts: 0 } },
          resolved_by: { operator: "ada", note: "not in the ledger", not_performed: true },
        },
      }),
      "refund_card #1 was not performed (write, settled by ada, note: not in the ledger)",
    );
  });

  it("tells that an answer was copied and the call not performed again", () => {
    assert.equal(
      told({
        kind: "ToolCallCompleted",
        payload: { seq: 1, output: 1, deduplicated_from: { run_id: RUN, seq: 0 } },
      }),
      `refund_card #1 answers 1 (write, answered from run ${RUN} #0, not performed again)`,
    );
  });

  it("tells a failure with its attempts", () => {
    const output = {
      __salvor_error: { is_error: true, kind: "handler", message: "card expired", attempts: 1 },
    };
    assert.equal(
      told({ kind: "ToolCallCompleted", payload: { seq: 1, output } }),
      "refund_card #1 failed (handler, 1 attempt): card expired (write, by the client)",
    );
  });

  it("tells a random number with all its digits", () => {
    assert.equal(
      told({ kind: "RandomObserved", payload: { value: 2n ** 64n - 1n } }),
      "a random number is drawn: 18446744073709551615",
    );
  });

  it("takes one line for every kind and whatever its payload is, a kind that nobody knows included", () => {
    const kind = fc.constantFrom(...EVENT_KINDS, "Dreamt");
    const payload = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(
          "seq",
          "output",
          "tool",
          "input",
          "usage",
          "budget",
          "labels",
          "resolved_by",
          "__salvor_error",
        ),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(fc.record({ kind, payload }), (event) => {
        const words = told(event as unknown as RunEvent);
        assert.ok(words.length > 0 && !words.includes("\n"));
      }),
    );
  });
});
