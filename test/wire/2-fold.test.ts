import assert from "node:assert/strict";
import type { Envelope, EventKind } from "#salvor/log/events.js";
import { fold, type RunState } from "#salvor/log/fold.js";
import { table } from "./table.js";

type Sketch = readonly [kind: string, payload?: object];

const sketch = (...events: readonly Sketch[]): readonly Envelope[] =>
  events.map(
    ([kind, payload = {}], seq) =>
      ({
        run_id: "",
        seq,
        schema_version: 1,
        recorded_at: "",
        event: { kind: kind as EventKind, payload },
      }) as never,
  );
const after = (...events: readonly Sketch[]): RunState => fold(sketch(...events));
const status = (...events: readonly Sketch[]) => after(...events).status;

const STARTED: Sketch = ["RunStarted", { agent_def_hash: "a", input: 1 }];
const call = (effect: string, seq = 1): Sketch => [
  "ToolCallRequested",
  { seq, tool: "t", input: { a: 1 }, effect, idempotency_key: "k" },
];
const done: Sketch = ["ToolCallCompleted", { seq: 1, output: 1 }];
const model = (seq: number): Sketch => ["ModelCallRequested", { seq, request_hash: "h" }];
const said = (seq: number, input_tokens: number): Sketch => [
  "ModelCallCompleted",
  { seq, response: 1, usage: { input_tokens, output_tokens: 1 } },
];
const parked: Sketch = ["Suspended", { reason: "r", input_schema: { type: "object" } }];
const budget = { kind: "steps", limit: 1 };
const is = (events: readonly Sketch[], expected: object) => () => {
  assert.deepEqual(status(...events), expected);
};
const running = { state: "running" };

table(2, "the fold", [
  ["2.1", "an empty log is not_started", is([], { state: "not_started" })],
  ["2.2", "RunStarted runs", is([STARTED], running)],
  ["2.3", "ModelCallCompleted runs", is([STARTED, model(1), said(1, 1)], running)],
  ["2.4", "ToolCallCompleted runs", is([STARTED, call("write"), done], running)],
  ["2.5", "Resumed runs", is([STARTED, parked, ["Resumed", { input: 1 }]], running)],
  ["2.6", "ModelCallRequested awaits the model", is([STARTED, model(1)], { state: "awaiting_model" })],
  [
    "2.7",
    "a write that is asked for needs reconciliation",
    is([STARTED, call("write")], { state: "needs_reconciliation" }),
  ],
  [
    "2.8",
    "a read that is asked for awaits the tool",
    is([STARTED, call("read")], { state: "awaiting_tool" }),
  ],
  [
    "2.9",
    "an idempotent call that is asked for awaits the tool",
    is([STARTED, call("idempotent")], { state: "awaiting_tool" }),
  ],
  [
    "2.10",
    "Suspended suspends, with reason and schema",
    is([STARTED, parked], { state: "suspended", reason: "r", input_schema: { type: "object" } }),
  ],
  [
    "2.11",
    "BudgetExceeded is over budget, with budget and observed",
    is([STARTED, ["BudgetExceeded", { budget, observed: 2 }]], {
      state: "budget_exceeded",
      budget,
      observed: 2,
    }),
  ],
  [
    "2.12",
    "RunCompleted completes, with its output",
    is([STARTED, ["RunCompleted", { output: [1] }]], { state: "completed", output: [1] }),
  ],
  [
    "2.13",
    "RunFailed fails, with its error",
    is([STARTED, ["RunFailed", { error: "e" }]], { state: "failed", error: "e" }),
  ],
  [
    "2.14",
    "RunAbandoned abandons; what it does not say is left out",
    is([STARTED, ["RunAbandoned"]], { state: "abandoned" }),
  ],
  [
    "2.15",
    "an abandoned run shows its reason and its unresolved write",
    is([STARTED, call("write"), ["RunAbandoned", { reason: "r", unresolved_write: { seq: 1, tool: "t" } }]], {
      state: "abandoned",
      reason: "r",
      unresolved_write: { seq: 1, tool: "t" },
    }),
  ],
  [
    "2.16",
    "no other kind changes anything",
    () => {
      for (const kind of [
        "NowObserved",
        "RandomObserved",
        "SleepStarted",
        "SleepCompleted",
        "SomethingLater",
      ]) {
        const next = after(STARTED, call("write"), [kind, { until: "x", now: "x", value: 1n }]);
        const asleep = kind === "SleepStarted";
        assert.deepEqual(next, { ...after(STARTED, call("write")), nextSeq: 3, asleep }, kind);
      }
    },
  ],
  [
    "2.17",
    "usage sums the model's completions",
    () => {
      assert.deepEqual(after(STARTED, model(1), said(1, 3), model(3), said(3, 4)).usage, {
        input_tokens: 7,
        output_tokens: 2,
      });
    },
  ],
  [
    "2.18",
    "pending is the last intent without its completion",
    () => {
      assert.equal(after(STARTED, call("write"), done).pending, null);
      assert.equal(after(STARTED, call("write"), done, model(3)).pending?.seq, 3);
    },
  ],
  [
    "2.19",
    "step_count counts the model's intents",
    () => {
      assert.equal(after(STARTED, model(1), said(1, 1), model(3)).stepCount, 2);
    },
  ],
  [
    "2.20",
    "it is total: any prefix of anything folds, and nothing throws",
    () => {
      const odd = [
        ["RunAbandoned", { unresolved_write: 1 }],
        ["ToolCallRequested"],
        ["BudgetExceeded"],
        ["ToolCallCompleted", { seq: "x" }],
        ["", {}],
      ] as Sketch[];
      for (let length = 0; length <= odd.length; length += 1)
        assert.equal(after(...odd.slice(0, length)).nextSeq, length);
      assert.equal(fold([{ event: { kind: "Suspended", payload: null } }] as never).nextSeq, 1);
    },
  ],
  [
    "2.21",
    "it never looks at performed_by",
    () => {
      assert.deepEqual(
        after(STARTED, ["ToolCallRequested", { ...call("write")[1], performed_by: "client" }]),
        after(STARTED, call("write")),
      );
    },
  ],
  [
    "2.22",
    "a pending model call is shown by position and hash",
    () => {
      assert.deepEqual(after(STARTED, model(1)).pending, { kind: "model", seq: 1, request_hash: "h" });
    },
  ],
  [
    "2.23",
    "a pending tool call is shown whole, its key perhaps null",
    () => {
      assert.deepEqual(after(STARTED, call("read")).pending, {
        kind: "tool",
        seq: 1,
        tool: "t",
        input: { a: 1 },
        effect: "read",
        idempotency_key: "k",
      });
      const keyless = after(STARTED, [
        "ToolCallRequested",
        { ...call("read")[1], idempotency_key: null },
      ]).pending;
      assert.equal(keyless?.kind === "tool" && keyless.idempotency_key, null);
    },
  ],
]);
