import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Envelope } from "#salvor/log/events.js";
import { applyEvent, fold, NOT_STARTED, type RunState } from "#salvor/log/fold.js";
import { judgeAppend } from "#salvor/log/guard.js";
import { at, RUN } from "./events-of.js";
import { afterwards, eventOf, PROBES, START, verdictOf, type Probe, type Standing } from "./history-model.js";

/** One way into every phase, awake and asleep. */
const HISTORIES: readonly (readonly Probe[])[] = [
  [],
  ["RunStarted"],
  ["RunStarted", "SleepStarted"],
  ["RunStarted", "SleepStarted", "SleepCompleted"],
  ["RunStarted", "SleepStarted", "SleepStarted"],
  ["RunStarted", "ModelCallRequested"],
  ["RunStarted", "SleepStarted", "ModelCallRequested"],
  ["RunStarted", "ModelCallRequested", "ModelCallCompleted"],
  ["RunStarted", "read"],
  ["RunStarted", "idempotent"],
  ["RunStarted", "write"],
  ["RunStarted", "SleepStarted", "write"],
  ["RunStarted", "write", "ToolCallCompleted"],
  ["RunStarted", "write", "ToolCallCompleted", "read"],
  ["RunStarted", "write", "ToolCallCompleted", "Suspended"],
  ["RunStarted", "SleepStarted", "Suspended"],
  ["RunStarted", "Suspended", "Resumed"],
  ["RunStarted", "BudgetExceeded"],
  ["RunStarted", "SleepStarted", "BudgetExceeded"],
  ["RunStarted", "BudgetExceeded", "Resumed"],
  ["RunStarted", "RunCompleted"],
  ["RunStarted", "RunFailed"],
  ["RunStarted", "RunAbandoned"],
  ["RunStarted", "write", "RunAbandoned"],
  ["RunStarted", "ModelCallRequested", "RunAbandoned"],
  ["RunStarted", "Suspended", "RunCompleted"],
  ["RunStarted", "SleepStarted", "RunFailed"],
];

interface Walked {
  readonly standing: Standing;
  readonly state: RunState;
}

function walk(history: readonly Probe[]): Walked {
  let standing = START;
  let state = NOT_STARTED;
  for (const probe of history) {
    assert.equal(verdictOf(standing, probe), null, `the test's own history is illegal at ${probe}`);
    state = applyEvent(state, eventOf(standing, probe));
    standing = afterwards(standing, probe);
  }
  return { standing, state };
}

/** Faults of the envelope: they come from another run, another time or another version. */
const FAULTS = {
  none: {},
  version: { schema_version: 2 },
  gap: { seq: 99 },
  stranger: { run_id: "00000000-0000-4000-8000-000000000002" },
} as const;

type Fault = keyof typeof FAULTS;

/** The rule that refuses first, from the rules' order: 1, 2, 3, 4, then what the table says. */
function expectedRule(standing: Standing, probe: Probe, faults: readonly Fault[]): number | null {
  if (faults.includes("version")) return 1;
  if (faults.includes("gap")) return 2;
  if (standing.length === 0 && probe !== "RunStarted") return 3;
  if (faults.includes("stranger")) return 4;
  return verdictOf(standing, probe);
}

function faulty(envelope: Envelope, faults: readonly Fault[]): Envelope {
  return faults.reduce<Envelope>((result, fault) => ({ ...result, ...FAULTS[fault] }), envelope);
}

const FAULT_SETS: readonly (readonly Fault[])[] = [
  ["none"],
  ["version"],
  ["gap"],
  ["stranger"],
  ["version", "gap", "stranger"],
  ["gap", "stranger"],
];

describe("the append guard", () => {
  for (const history of HISTORIES) {
    it(`judges every event after ${history.join(", ") || "nothing"} as the table does`, () => {
      const { standing, state } = walk(history);
      for (const probe of PROBES) {
        for (const faults of FAULT_SETS) {
          const refusal = judgeAppend(RUN, state, faulty(eventOf(standing, probe), faults));
          assert.equal(
            refusal?.rule ?? null,
            expectedRule(standing, probe, faults),
            `${probe}, ${faults.join()}`,
          );
        }
      }
    });
  }

  it("accepts exactly what the table accepts along every random history", () => {
    const step = fc.record({
      probe: fc.constantFrom(...PROBES),
      faults: fc.oneof({ weight: 6, arbitrary: fc.constant(["none"]) }, fc.constantFrom(...FAULT_SETS)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        let { standing, state } = walk(["RunStarted"]);
        for (const { probe, faults } of steps) {
          const event = faulty(eventOf(standing, probe), faults);
          const refusal = judgeAppend(RUN, state, event);
          assert.equal(refusal?.rule ?? null, expectedRule(standing, probe, faults), probe);
          if (refusal !== null) continue;
          state = applyEvent(state, event);
          standing = afterwards(standing, probe);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("accepts a legal history of any length, event by event, also when it is folded from its start", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40, size: "max" }), (choices) => {
        let standing = START;
        const log: Envelope[] = [];
        for (const choice of choices) {
          const legal = PROBES.filter((probe) => verdictOf(standing, probe) === null);
          const probe = legal[choice % legal.length];
          if (probe === undefined) break;
          const event = eventOf(standing, probe);
          assert.equal(judgeAppend(RUN, fold(log), event), null);
          log.push(event);
          standing = afterwards(standing, probe);
        }
      }),
    );
  });

  it("names the rule, the position, what was found and what was expected", () => {
    const { state, standing } = walk(["RunStarted", "write"]);
    assert.deepEqual(judgeAppend(RUN, state, eventOf(standing, "NowObserved")), {
      rule: 7,
      position: 2,
      found: "NowObserved",
      expected: "ToolCallCompleted with seq 1, or RunAbandoned",
      message:
        "rule 7 (an intent is followed by its completion), position 2: found NowObserved, expected ToolCallCompleted with seq 1, or RunAbandoned",
    });
  });

  it("tells the completion of another call from the one that is due", () => {
    const { state, standing } = walk(["RunStarted", "write"]);
    const refusal = judgeAppend(RUN, state, eventOf(standing, "ToolCallCompleted!"));
    assert.match(
      refusal?.message ?? "",
      /found ToolCallCompleted with seq 2, expected ToolCallCompleted with seq 1/,
    );
  });

  it("takes an inner seq for a number only when it is one", () => {
    const { state, standing } = walk(["RunStarted", "write"]);
    for (const seq of ["1", 1n, [1], null, true, Object.create(null)] as unknown[]) {
      const refusal = judgeAppend(
        RUN,
        state,
        at(standing.length, "ToolCallCompleted", { seq: seq as number, output: 1 }),
      );
      assert.equal(refusal?.rule, 7);
    }
  });

  it("refuses garbage in a payload instead of throwing", () => {
    const open = walk(["RunStarted", "write"]);
    const idle = walk(["RunStarted"]);
    for (const payload of [null, undefined, 1, "seq", [], { seq: {} }, Object.create({ seq: 1 }) as object]) {
      const completion = at(2, "ToolCallCompleted", payload as never);
      assert.equal(judgeAppend(RUN, open.state, completion)?.rule, 7);
      const intent = at(1, "ToolCallRequested", payload as never);
      assert.equal(judgeAppend(RUN, idle.state, intent)?.rule, 9);
    }
  });
});
