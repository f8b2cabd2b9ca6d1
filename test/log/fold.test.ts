import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Envelope } from "#salvor/log/events.js";
import { EVENT_KINDS } from "#salvor/log/events.js";
import { applyEvent, fold, isParked, isTerminal, NOT_STARTED } from "#salvor/log/fold.js";
import { at, RUN } from "./events-of.js";
import { afterwards, eventOf, PROBES, START, STATE_OF, verdictOf, type Standing } from "./history-model.js";

const choices = fc.array(fc.nat(), { maxLength: 40, size: "max" });

/** A legal history, and where the model says that it stands. */
function historyOf(picks: readonly number[]): {
  readonly log: readonly Envelope[];
  readonly standing: Standing;
} {
  let standing = START;
  const log: Envelope[] = [];
  for (const pick of picks) {
    const legal = PROBES.filter((probe) => verdictOf(standing, probe) === null);
    const probe = legal[pick % legal.length];
    if (probe === undefined) break;
    log.push(eventOf(standing, probe));
    standing = afterwards(standing, probe);
  }
  return { log, standing };
}

/** What a stored log may hold when somebody else wrote it. */
const garbage: fc.Arbitrary<Envelope> = fc
  .record({
    run_id: fc.anything(),
    seq: fc.anything(),
    schema_version: fc.anything(),
    recorded_at: fc.anything(),
    event: fc.record({
      kind: fc.oneof(
        fc.constantFrom<unknown>(...EVENT_KINDS),
        fc.constantFrom("toString", "__proto__"),
        fc.string(),
      ),
      payload: fc.oneof(
        fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
        fc.dictionary(
          fc.constantFrom(
            "seq",
            "usage",
            "budget",
            "observed",
            "reason",
            "input_schema",
            "effect",
            "tool",
            "output",
            "error",
            "unresolved_write",
            "idempotency_key",
            "request_hash",
          ),
          fc.anything({ withBigInt: true, withNullPrototype: true }),
        ),
      ),
    }),
  })
  .map((envelope) => envelope as unknown as Envelope);

describe("the fold", () => {
  it("shows the state, the open call, the steps and the next position that the model has", () => {
    fc.assert(
      fc.property(choices, (picks) => {
        const { log, standing } = historyOf(picks);
        const state = fold(log);
        assert.equal(state.status.state, STATE_OF[standing.phase]);
        assert.equal(state.nextSeq, standing.length);
        assert.equal(state.pending?.seq ?? -1, standing.open);
        assert.equal(state.stepCount, standing.modelCalls);
        assert.equal(state.asleep, standing.asleep);
        const completed = log.filter(({ event }) => event.kind === "ModelCallCompleted").length;
        assert.deepEqual(state.usage, { input_tokens: 3 * completed, output_tokens: 2 * completed });
      }),
    );
  });

  it("never throws, whatever a stored log holds, and counts every position", () => {
    fc.assert(
      fc.property(fc.array(garbage, { maxLength: 12 }), (log) => {
        assert.equal(fold(log).nextSeq, log.length);
      }),
      { numRuns: 1000 },
    );
  });

  it("gives the same for a whole log as for a part followed by the rest", () => {
    const event = fc.oneof(
      garbage,
      choices.map((picks) => historyOf(picks).log.at(-1) ?? at(0, "SleepCompleted", {})),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.nat(20), (log, cut) => {
        assert.deepEqual(fold(log.slice(cut), fold(log.slice(0, cut))), fold(log));
      }),
    );
  });

  it("is not moved by who performed a call, nor by keys that it does not know", () => {
    fc.assert(
      fc.property(choices, (picks) => {
        const { log } = historyOf(picks);
        const marked = log.map((envelope) => ({
          ...envelope,
          event: {
            ...envelope.event,
            payload: { ...envelope.event.payload, performed_by: "client", later: [1] },
          },
        }));
        const { status, ...rest } = fold(marked as readonly Envelope[]);
        const { status: before, ...restBefore } = fold(log);
        assert.deepEqual(rest, restBefore);
        assert.equal(status.state, before.state);
      }),
    );
  });

  it("changes nothing of what it is given", () => {
    const { log } = historyOf([0, 3, 0, 5, 1, 2, 7]);
    const frozen = log.map((envelope) =>
      Object.freeze({ ...envelope, event: Object.freeze({ ...envelope.event }) }),
    );
    const before = JSON.stringify(NOT_STARTED);
    fold(frozen);
    assert.equal(JSON.stringify(NOT_STARTED), before);
    assert.ok(Object.isFrozen(NOT_STARTED));
  });

  it("passes an unknown kind by, and only counts its position", () => {
    const started = fold([at(0, "RunStarted", { agent_def_hash: "", input: 1 })]);
    const unknown = { ...at(1, "SleepCompleted", {}), event: { kind: "Dreamt", payload: { reason: "x" } } };
    assert.deepEqual(applyEvent(started, unknown as unknown as Envelope), { ...started, nextSeq: 2 });
  });
});

describe("what the fold shows", () => {
  const start = at(0, "RunStarted", { agent_def_hash: "h", input: 1 });
  const write = { seq: 1, tool: "refund", input: { a: 1 }, effect: "write", idempotency_key: "k" } as const;

  it("of an open tool call: everything that a person needs to settle it", () => {
    assert.deepEqual(
      fold([start, at(1, "ToolCallRequested", { ...write, performed_by: "client" })]).pending,
      {
        kind: "tool",
        ...write,
      },
    );
  });

  it("of a call without a key: null, not nothing", () => {
    const { pending } = fold([start, at(1, "ToolCallRequested", { ...write, idempotency_key: null })]);
    assert.equal(pending?.kind === "tool" && pending.idempotency_key, null);
  });

  it("of an open model call", () => {
    assert.deepEqual(fold([start, at(1, "ModelCallRequested", { seq: 1, request_hash: "h" })]).pending, {
      kind: "model",
      seq: 1,
      request_hash: "h",
    });
  });

  it("of a write that was abandoned: it is still open", () => {
    const state = fold([
      start,
      at(1, "ToolCallRequested", write),
      at(2, "RunAbandoned", { reason: "r", unresolved_write: { seq: 1, tool: "refund" } }),
    ]);
    assert.deepEqual(state.status, {
      state: "abandoned",
      reason: "r",
      unresolved_write: { seq: 1, tool: "refund" },
    });
    assert.equal(state.pending?.seq, 1);
  });

  it("of an end: its output, its error, or its reason only when there is one", () => {
    assert.deepEqual(fold([start, at(1, "RunCompleted", { output: null })]).status, {
      state: "completed",
      output: null,
    });
    assert.deepEqual(fold([start, at(1, "RunFailed", { error: "e" })]).status, {
      state: "failed",
      error: "e",
    });
    assert.deepEqual(fold([start, at(1, "RunAbandoned", {})]).status, { state: "abandoned" });
  });

  it("of a parked run: why, and what would go on", () => {
    assert.deepEqual(fold([start, at(1, "Suspended", { reason: "r", input_schema: false })]).status, {
      state: "suspended",
      reason: "r",
      input_schema: false,
    });
    const budget = { kind: "cost_usd", limit: 1.5 } as const;
    assert.deepEqual(fold([start, at(1, "BudgetExceeded", { budget, observed: 2 })]).status, {
      state: "budget_exceeded",
      budget,
      observed: 2,
    });
  });

  it("of an effect that is none of the three: the strictest", () => {
    const strange = at(1, "ToolCallRequested", { ...write, effect: "harmless" as "read" });
    assert.equal(fold([start, strange]).status.state, "needs_reconciliation");
  });

  it("tells parked and ended runs from the others", () => {
    for (const [events, parked, terminal] of [
      [[start], false, false],
      [[start, at(1, "Suspended", { reason: "", input_schema: true })], true, false],
      [[start, at(1, "BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 1 })], true, false],
      [[start, at(1, "RunCompleted", { output: 1 })], false, true],
      [[start, at(1, "RunFailed", { error: "" })], false, true],
      [[start, at(1, "RunAbandoned", {})], false, true],
    ] as const) {
      const { status } = fold(events);
      assert.deepEqual([isParked(status), isTerminal(status)], [parked, terminal]);
    }
  });

  it("names the run only in envelopes: a state holds no id", () => {
    assert.equal(JSON.stringify(fold([start])).includes(RUN), false);
  });
});
