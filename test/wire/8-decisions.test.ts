import assert from "node:assert/strict";
import { after, before } from "node:test";
import { hostedTool, hostedTools } from "../support/hosted-tools.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { is, table } from "./table.js";

const OPERATOR = "operator-secret";
const PAYOUT = { iban: "a", amount_cents: 5 };
const PAID = { transfer_id: "t", amount_cents: 5 };
let server: TestServer;
let trusting: TestServer;
before(async () => {
  const vanish = hostedTool("vanish", "write", () => Promise.reject(new Error("gone")), { key: "order" });
  server = await TestServer.start({ operatorToken: OPERATOR, hosted: hostedTools(vanish) });
  trusting = await TestServer.start();
});
after(() => Promise.all([server.stop(), trusting.stop()]));

const decide = (run: TestRun, what: string, body: object) =>
  server.post(`/v1/runs/${run.id}/${what}`, body, { bearer: OPERATOR });
const last = async (run: TestRun) =>
  (await run.log()).at(-1).event as { kind: string; payload: Record<string, unknown> };

async function opened(tool: string, input: unknown, at = server): Promise<TestRun> {
  const run = await at.open();
  is(await run.intent(1, tool, input), 200);
  return run;
}

async function parked(input_schema: object = { type: "object", required: ["ok"] }): Promise<TestRun> {
  const run = await server.open();
  is(await run.event(1, "Suspended", { reason: "r", input_schema }), 200);
  return run;
}

async function overBudget(): Promise<TestRun> {
  const run = await server.open();
  is(await run.event(1, "BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 }), 200);
  return run;
}

table(8, "a person decides", [
  [
    "8.1",
    "a seq that is not what is pending is 409 wrong_state, nothing written",
    async () => {
      const [write, waits] = [await opened("pay_out", PAYOUT), await parked()];
      is(await decide(write, "resolve", { seq: 0, output: PAID }), 409, "wrong_state");
      is(await decide(write, "abandon", { seq: 3 }), 409, "wrong_state");
      is(await decide(waits, "resume", { seq: 0, input: { ok: 1 } }), 409, "wrong_state");
      assert.deepEqual([(await write.log()).length, (await waits.log()).length], [2, 2]);
    },
  ],
  [
    "8.2",
    "seq may be left out",
    async () => is(await decide(await opened("pay_out", PAYOUT), "resolve", { output: PAID }), 200),
  ],
  [
    "8.3",
    "resolve settles a dangling write, also one that its client may close",
    async () => {
      const run = await opened("charge_card", { cents: 1 });
      is(await decide(run, "resolve", { seq: 1, output: { charge: "c" } }), 200);
      assert.deepEqual((await last(run)).payload.output, { charge: "c" });
    },
  ],
  [
    "8.4",
    "and a dangling call that no client may close, whatever its effect",
    async () => is(await decide(await opened("look_up", {}), "resolve", { seq: 1, output: 1 }), 200),
  ],
  [
    "8.5",
    "but no other",
    async () =>
      is(
        await decide(await opened("get_price", { sku: "a" }), "resolve", { seq: 1, output: { cents: 1 } }),
        409,
        "wrong_state",
      ),
  ],
  [
    "8.6",
    "nothing to settle is checked first: wrong_state, saying what the log ends at",
    async () =>
      is(
        await decide(await server.open(), "resolve", { output: { __salvor_error: 1 } }),
        409,
        "wrong_state",
        /RunStarted/,
      ),
  ],
  [
    "8.7",
    "the output is held to output_schema, require_equal and the reserved shapes: each 400",
    async () => {
      const run = await opened("pay_out", PAYOUT);
      for (const output of [
        {},
        { transfer_id: "t", amount_cents: 6 },
        { __salvor_error: {} },
        { __salvor_suspend: {} },
      ])
        is(await decide(run, "resolve", { seq: 1, output }), 400, "bad_request");
    },
  ],
  [
    "8.8",
    "override with a note sets schema and pins aside, and both are recorded",
    async () => {
      const run = await opened("pay_out", PAYOUT);
      is(
        await decide(run, "resolve", { seq: 1, output: { odd: 1 }, override: true }),
        400,
        "bad_request",
        /note/,
      );
      is(await decide(run, "resolve", { seq: 1, output: { odd: 1 }, override: true, note: "n" }), 200);
      assert.deepEqual((await last(run)).payload.resolved_by, { note: "n", override: true });
    },
  ],
  [
    "8.9",
    "override needs a configured operator token",
    async () => {
      const run = await opened("pay_out", PAYOUT, trusting);
      is(
        await trusting.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: 1, override: true, note: "n" }),
        403,
        "operator_required",
      );
    },
  ],
  [
    "8.10",
    "not_performed records a failure of kind handler with 0 attempts and the note as message",
    async () => {
      const run = await opened("pay_out", PAYOUT);
      is(await decide(run, "resolve", { seq: 1, not_performed: true, note: "not in the ledger" }), 200);
      const { output, resolved_by } = (await last(run)).payload;
      assert.deepEqual(output, {
        __salvor_error: { is_error: true, kind: "handler", message: "not in the ledger", attempts: 0 },
      });
      assert.deepEqual(resolved_by, { note: "not in the ledger", not_performed: true });
    },
  ],
  [
    "8.11",
    "resolved_by is recorded when the operator token was presented or operator, note or override was given, else left out",
    async () => {
      const by = async (more: object) => {
        const run = await opened("pay_out", PAYOUT, trusting);
        is(await trusting.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: PAID, ...more }), 200);
        return (await last(run)).payload.resolved_by;
      };
      assert.deepEqual(
        [await by({}), await by({ operator: "ann" }), await by({ note: "n" })],
        [undefined, { operator: "ann" }, { note: "n" }],
      );
      const run = await opened("pay_out", PAYOUT);
      await decide(run, "resolve", { seq: 1, output: PAID });
      assert.deepEqual((await last(run)).payload.resolved_by, {});
    },
  ],
  [
    "8.12",
    "the answer is run, resolved and status",
    async () => {
      const run = await opened("pay_out", PAYOUT);
      assert.deepEqual(is(await decide(run, "resolve", { seq: 1, output: PAID }), 200), {
        run: run.id,
        resolved: true,
        status: { state: "running" },
      });
    },
  ],
  [
    "8.13",
    "resume judges the state before the input",
    async () => is(await decide(await server.open(), "resume", {}), 409, "wrong_state"),
  ],
  [
    "8.14",
    "the input is checked against the recorded schema: 400 with violations, and the run stays parked",
    async () => {
      const run = await parked();
      const { error } = is(await decide(run, "resume", { input: {} }), 400, "bad_request");
      assert.equal(error.details.violations.length, 1);
      assert.equal((await run.log()).length, 2);
    },
  ],
  [
    "8.15",
    "over budget it is held to the extension's shape",
    async () => {
      const run = await overBudget();
      for (const input of [
        1,
        { extend: { steps: -1 } },
        { extend: { tokens: 1.5 } },
        { extend: { cost_usd: "1" } },
      ])
        is(await decide(run, "resume", { input }), 400, "bad_request");
      is(
        await decide(run, "resume", {
          input: { extend: { steps: 1, tokens: 2, cost_usd: 0.5, wall_time_seconds: 1.5 } },
        }),
        200,
      );
      is(await decide(await overBudget(), "resume", { input: {} }), 200);
    },
  ],
  [
    "8.16",
    "it is recorded as Resumed, and the answer is run, outcome and status",
    async () => {
      const run = await parked();
      assert.deepEqual(is(await decide(run, "resume", { seq: 1, input: { ok: 1 } }), 200), {
        run: run.id,
        outcome: "resumed",
        status: { state: "running" },
      });
      assert.deepEqual(await last(run), { kind: "Resumed", payload: { input: { ok: 1 } } });
    },
  ],
  [
    "8.17",
    "an explicit null is an input; a missing one is 400",
    async () => {
      const run = await parked({});
      is(await decide(run, "resume", {}), 400, "bad_request");
      is(await decide(run, "resume", { input: null }), 200);
    },
  ],
  [
    "8.18",
    "a finished run: 200 with outcome its state",
    async () => {
      const run = await server.open();
      await run.event(1, "RunFailed", { error: "e" });
      assert.equal(is(await decide(run, "resume", { input: 1 }), 200).outcome, "failed");
      assert.equal((await run.log()).length, 2);
    },
  ],
  [
    "8.19",
    "a dangling write: 409 needs_reconciliation with the intent",
    async () => {
      assert.equal(
        is(await decide(await opened("pay_out", PAYOUT), "resume", { input: 1 }), 409, "needs_reconciliation")
          .error.details.intent.seq,
        1,
      );
    },
  ],
  [
    "8.20",
    "otherwise not parked: 409 wrong_state",
    async () =>
      is(await decide(await opened("get_price", { sku: "a" }), "resume", { input: 1 }), 409, "wrong_state"),
  ],
  [
    "8.21",
    "two at once: one winner, the other 409",
    async () => {
      const run = await parked();
      const both = await Promise.all([1, 2].map((ok) => decide(run, "resume", { seq: 1, input: { ok } })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    },
  ],
  [
    "8.22",
    "abandon ends any run that is not terminal, and answers run, abandoned, appended_seq and status",
    async () => {
      for (const run of [
        await server.open(),
        await parked(),
        await overBudget(),
        await opened("get_price", { sku: "a" }),
      ]) {
        const { length } = await run.log();
        assert.deepEqual(is(await decide(run, "abandon", { reason: "r" }), 200), {
          run: run.id,
          abandoned: true,
          appended_seq: length,
          status: { state: "abandoned", reason: "r" },
        });
        is(await decide(run, "abandon", {}), 409, "wrong_state");
      }
    },
  ],
  [
    "8.23",
    "it records unresolved_write when a write dangles",
    async () => {
      const run = await opened("pay_out", PAYOUT);
      is(await decide(run, "abandon", { seq: 1 }), 200);
      assert.deepEqual(await last(run), {
        kind: "RunAbandoned",
        payload: { unresolved_write: { seq: 1, tool: "pay_out" } },
      });
    },
  ],
  [
    "8.24",
    "it is refused while that write holds an identity that reaches past this run",
    async () => {
      const run = await server.open();
      is(
        await run.post("tool-step", { seq: 1, tool: "vanish", input: { order: "o" } }),
        409,
        "needs_reconciliation",
      );
      is(await decide(run, "abandon", {}), 409, "wrong_state", /settle it first/);
      is(await decide(run, "resolve", { seq: 1, not_performed: true }), 200);
      is(await decide(run, "abandon", {}), 200);
    },
  ],
]);
