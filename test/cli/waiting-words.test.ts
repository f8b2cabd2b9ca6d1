import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { waitingWords } from "#salvor/cli/waiting-words.js";
import type { RunAnswer } from "#salvor/client/index.js";
import type { Effect } from "#salvor/contract/effect.js";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";
import { fold } from "#salvor/log/fold.js";

const RUN = "00000000-0000-4000-8000-000000000001";
const KEY = `sha256:${"ab".repeat(32)}`;

const started: RunEvent = { kind: "RunStarted", payload: { agent_def_hash: "desk", input: null } };

function call(effect: Effect): RunEvent {
  const payload = { seq: 1, tool: "refund_card", input: {}, effect, idempotency_key: KEY };
  return { kind: "ToolCallRequested", payload: { ...payload, performed_by: "client" } };
}

function told(events: readonly RunEvent[], more: Partial<RunAnswer> = {}) {
  const log = events.map((event, seq) => envelopeOf(RUN, seq, "2026-01-01T00:00:00Z", event));
  const { status, pending, usage } = fold(log);
  const times = { first_recorded_at: "2026-01-01T00:00:00Z", last_recorded_at: "2026-01-01T00:00:00Z" };
  const run = { run: RUN, status, pending, usage, event_count: log.length, ...times, ...more };
  return waitingWords(run, log, " --url http://h");
}

describe("what a run waits for", () => {
  it("is a person, when a write is open and its driver is gone; the whole key is there to look up", () => {
    const { sentence, next } = told([started, call("write")], { driver: "none" });
    assert.match(sentence, /refund_card #1 may or may not have happened/);
    assert.ok(sentence.includes(KEY));
    assert.match(next, new RegExp(`^salvor resolve ${RUN} --output JSON --url http://h`));
  });

  it("is the driver, when a write is open and its driver is attached", () => {
    const { sentence, next } = told([started, call("write")], { driver: "attached" });
    assert.match(sentence, /waits for its driver, which is attached/);
    assert.equal(next, `salvor history ${RUN} --url http://h`);
  });

  it("is the driver's return, when a call is open that may be performed again", () => {
    for (const effect of ["read", "idempotent"] as const)
      assert.match(told([started, call(effect)], { driver: "none" }).sentence, /come back and perform/);
  });

  it("is a decision, when a report on the open call was refused", () => {
    const report = { seq: 1, time: "2026-01-01T00:00:00Z", code: "bad_request", message: "no" };
    const more = { driver: "attached", refused_reports: [report] } as const;
    const { sentence, next } = told([started, call("write")], more);
    assert.match(sentence, /was refused/);
    assert.match(next, /^salvor resolve /);
    const other = { driver: "attached", refused_reports: [{ ...report, seq: 0 }] } as const;
    assert.match(told([started, call("write")], other).sentence, /which is attached/);
  });

  it("is an answer, when it is suspended, and its reason is safe to print", () => {
    const payload = { reason: "approve\u001b[2J?", input_schema: true };
    const { sentence, next } = told([started, { kind: "Suspended", payload }]);
    assert.equal(sentence, "The run waits for an answer: approve\\u001b[2J?");
    assert.match(next, /^salvor resume /);
  });

  it("is nothing, once it is over", () => {
    const { sentence } = told([started, { kind: "RunCompleted", payload: { output: null } }]);
    assert.equal(sentence, "The run is completed: nothing follows.");
  });

  it("has words and a next command for every state", () => {
    const budget = { kind: "tokens", limit: 10 } as const;
    const ends: readonly (readonly RunEvent[])[] = [
      [],
      [started],
      [started, { kind: "ModelCallRequested", payload: { seq: 1, request_hash: "sha256:0" } }],
      [started, { kind: "BudgetExceeded", payload: { budget, observed: 11 } }],
      [started, { kind: "RunFailed", payload: { error: "x" } }],
      [started, { kind: "RunAbandoned", payload: {} }],
    ];
    for (const events of ends) {
      const { sentence, next } = told(events);
      assert.match(sentence, /\.$/);
      assert.match(next, /salvor (history|list|abandon)/);
    }
  });
});
