import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Envelope } from "#salvor/log/events.js";
import { fold } from "#salvor/log/fold.js";
import { judgeAppend } from "#salvor/log/guard.js";
import { TestServer } from "../support/test-server.js";
import { is, table } from "./table.js";

const RUN = "00000000-0000-4000-8000-000000000001";
let server: TestServer;
before(async () => (server = await TestServer.start()));
after(() => server.stop());

type Sketch = readonly [kind: string, payload?: object];
const envelope = ([kind, payload = {}]: Sketch, seq: number, more: object = {}): Envelope =>
  ({ run_id: RUN, seq, schema_version: 1, recorded_at: "", event: { kind, payload }, ...more }) as never;

const STARTED: readonly [kind: string, payload: object] = ["RunStarted", { agent_def_hash: "a", input: 1 }];
const call: Sketch = [
  "ToolCallRequested",
  { seq: 1, tool: "t", input: 1, effect: "write", idempotency_key: null },
];
const model: Sketch = ["ModelCallRequested", { seq: 1, request_hash: "h" }];
const callAt2: Sketch = [call[0], { ...call[1], seq: 2 }];
const modelAt2: Sketch = [model[0], { ...model[1], seq: 2 }];
const done = (seq = 1): Sketch => ["ToolCallCompleted", { seq, output: 1 }];
const parked: Sketch = ["Suspended", { reason: "r", input_schema: true }];
const broke: Sketch = ["BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 }];
const now: Sketch = ["NowObserved", { now: "2026-01-01T00:00:00Z" }];
const resumed: readonly [kind: string, payload: object] = ["Resumed", { input: 1 }];
const ends: readonly Sketch[] = [
  ["RunCompleted", { output: 1 }],
  ["RunFailed", { error: "e" }],
  ["RunAbandoned"],
];

/** The rule that the next event breaks, or `undefined`. */
const rule = (log: readonly Sketch[], next: Sketch, more: object = {}): number | undefined => {
  const state = fold(log.map((each, seq) => envelope(each, seq)));
  return judgeAppend(RUN, state, envelope(next, log.length, more))?.rule;
};
const breaks =
  (expected: number | undefined, log: readonly Sketch[], ...nexts: readonly Sketch[]) =>
  () => {
    for (const next of nexts) assert.equal(rule(log, next), expected, next[0]);
  };

table(3, "the append guard", [
  [
    "3.1",
    "rule 1: schema_version is 1",
    () => {
      assert.equal(rule([STARTED], now, { schema_version: 2 }), 1);
    },
  ],
  [
    "3.2",
    "rule 2: seq is the next position",
    () => {
      for (const seq of [0, 2]) assert.equal(rule([STARTED], now, { seq }), 2);
    },
  ],
  ["3.3", "rule 3: the first event is RunStarted", breaks(3, [], now, call, ...ends)],
  [
    "3.4",
    "rule 4: the envelope names this run",
    () => {
      assert.equal(rule([STARTED], now, { run_id: RUN.replace("1", "2") }), 4);
    },
  ],
  ["3.5", "rule 5: no second RunStarted", breaks(5, [STARTED], STARTED)],
  [
    "3.6",
    "rule 6: nothing after a terminal",
    () => {
      for (const end of ends)
        for (const next of [now, call, resumed, ...ends]) assert.equal(rule([STARTED, end], next), 6);
    },
  ],
  [
    "3.7",
    "rule 7: after an intent only its own completion",
    breaks(
      7,
      [STARTED, call],
      now,
      model,
      parked,
      done(0),
      ["ModelCallCompleted", { seq: 1, response: 1, usage: {} }],
      ends[0]!,
      ends[1]!,
    ),
  ],
  ["3.8", "its own completion may follow an intent", breaks(undefined, [STARTED, call], done())],
  ["3.9", "so one call is pending at a time", breaks(7, [STARTED, model], call, model)],
  ["3.10", "RunAbandoned may follow a dangling intent", breaks(undefined, [STARTED, call], ["RunAbandoned"])],
  [
    "3.11",
    "rule 8: no completion without its intent",
    breaks(8, [STARTED], done(), ["ModelCallCompleted", { seq: 0 }]),
  ],
  [
    "3.12",
    "rule 9: the inner seq of an intent is its envelope's",
    breaks(9, [STARTED], ["ToolCallRequested", { ...call[1], seq: 0 }], ["ModelCallRequested", { seq: 2 }]),
  ],
  ["3.13", "rule 10: SleepCompleted only while asleep", breaks(10, [STARTED], ["SleepCompleted"])],
  [
    "3.14",
    "a sleeper wakes once",
    breaks(10, [STARTED, ["SleepStarted"], ["SleepCompleted"]], ["SleepCompleted"]),
  ],
  [
    "3.15",
    "rule 11: while suspended only Resumed or a terminal",
    breaks(11, [STARTED, parked], now, callAt2, modelAt2, parked, broke),
  ],
  [
    "3.16",
    "rule 11: over budget likewise",
    breaks(11, [STARTED, broke], now, callAt2, modelAt2, parked, broke),
  ],
  [
    "3.17",
    "Resumed and the terminals may follow both",
    () => {
      for (const state of [parked, broke]) breaks(undefined, [STARTED, state], resumed, ...ends)();
    },
  ],
  ["3.18", "and Resumed only then", breaks(11, [STARTED], resumed)],
  [
    "3.19",
    "the first rule that fails is the one that is named",
    () => {
      assert.equal(rule([STARTED, call], STARTED, { schema_version: 2, seq: 9 }), 1);
    },
  ],
  [
    "3.20",
    "a refusal is 409 divergence that names the rule, the position, what was found and what was expected",
    async () => {
      const run = await server.open();
      is(
        await run.event(2, "NowObserved", { now: "2026-01-01T00:00:00Z" }),
        409,
        "divergence",
        /rule 2 .*position 1: found seq 2, expected seq 1/,
      );
      is(
        await run.event(1, "Resumed", { input: 1 }),
        409,
        "divergence",
        /rule 11 .*position 1: found Resumed, expected/,
      );
    },
  ],
  [
    "3.21",
    "every rule that a client can break is refused so, and nothing is written",
    async () => {
      const run = await server.open({ started: false });
      const append = (rule: number, position: number, envelopeOf: object) =>
        run.post("events", { events: [envelopeOf] }).then((answer) => {
          is(
            answer,
            409,
            "divergence",
            new RegExp(`rule ${rule} .*position ${position}: found .*expected`, "s"),
          );
        });
      const observed = (seq: number, more: object = {}) => ({
        ...run.envelope(seq, "NowObserved", now[1]),
        ...more,
      });
      await append(3, 0, observed(0));
      is(await run.event(0, "RunStarted", STARTED[1]), 200);
      await append(1, 1, observed(1, { schema_version: 2 }));
      await append(2, 1, observed(2));
      await append(4, 1, observed(1, { run_id: RUN }));
      await append(5, 1, run.envelope(1, ...STARTED));
      await append(10, 1, run.envelope(1, "SleepCompleted", {}));
      await append(11, 1, run.envelope(1, ...resumed));
      is(await run.intent(1, "charge_card", { cents: 1 }), 200);
      await append(7, 2, observed(2));
      is(await run.complete(1, { output: { charge: "c" } }), 200);
      is(await run.event(3, "RunFailed", { error: "e" }), 200);
      await append(6, 4, observed(4));
      assert.equal((await run.log()).length, 4);
    },
  ],
]);
