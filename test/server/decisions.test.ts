import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer, type TestRun } from "../support/test-server.js";
import { CHARGE_CARD, TOOLS } from "../support/tools.js";

const OPERATOR = "operator-secret";
const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re_1", amount_cents: 500 };

void describe("resolve", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  async function dangling(tool = "refund_card", input: unknown = REFUND): Promise<TestRun> {
    const run = await server.open();
    assert.equal((await run.intent(1, tool, input)).status, 200);
    return run;
  }
  const resolve = (run: TestRun, body: unknown) => server.post(`/v1/runs/${run.id}/resolve`, body);

  it("settles the dangling write, and says what the run does then", async () => {
    const run = await dangling();
    const { status, json } = await resolve(run, { seq: 1, output: RECEIPT });
    assert.equal(status, 200);
    assert.deepEqual(json, { run: run.id, resolved: true, status: { state: "running" } });
    const log = await run.log();
    assert.deepEqual(log[2].event.payload, { seq: 1, output: RECEIPT });
    assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json.output, RECEIPT);
    assert.equal((await run.complete(1, { output: RECEIPT })).status, 200);
  });

  it("settles the identity of the write", async () => {
    const run = await dangling();
    await resolve(run, { output: RECEIPT });
    const { json } = await run.intent(3, "refund_card", REFUND);
    assert.deepEqual(json.output, RECEIPT);
  });

  it("under client-runs answers without the status", async () => {
    const run = await dangling();
    assert.deepEqual((await run.post("resolve", { output: RECEIPT })).json, { run: run.id, resolved: true });
  });

  it("records not_performed as a failure that nobody attempted, with the note, and releases the identity", async () => {
    const run = await dangling();
    await resolve(run, { not_performed: true, note: "not in the ledger" });
    const log = await run.log();
    assert.deepEqual(log[2].event.payload, {
      seq: 1,
      output: {
        __salvor_error: { is_error: true, kind: "handler", message: "not in the ledger", attempts: 0 },
      },
      resolved_by: { note: "not in the ledger", not_performed: true },
    });
    const again = await run.intent(3, "refund_card", REFUND);
    assert.equal(again.json.settled, false);
  });

  it("omits resolved_by when nobody said anything about themselves", async () => {
    const run = await dangling();
    await resolve(run, { not_performed: true });
    assert.ok(!Object.hasOwn((await run.log())[2].event.payload as object, "resolved_by"));
  });

  it("says first when there is nothing to settle, and what the log ends at", async () => {
    const run = await server.open();
    for (const body of [{}, { output: 1 }, { not_performed: true }]) {
      const { status, json } = await resolve(run, body);
      assert.equal(status, 409);
      assert.equal(json.error.code, "wrong_state");
      assert.match(json.error.message as string, /RunStarted/);
    }
  });

  it("does not settle a client call that its client may close and that is no write", async () => {
    const run = await dangling("get_price", { sku: "a" });
    assert.equal((await resolve(run, { output: { cents: 1 } })).json.error.code, "wrong_state");
  });

  it("settles a read that no client may close", async () => {
    const run = await dangling("look_up", { q: "x" });
    assert.equal((await resolve(run, { output: { any: "thing" } })).status, 200);
  });

  it("refuses a target that is not what is pending now, and writes nothing", async () => {
    const run = await dangling();
    const { status, json } = await resolve(run, { seq: 0, output: RECEIPT });
    assert.equal(status, 409);
    assert.equal(json.error.code, "wrong_state");
    assert.equal((await run.log()).length, 2);
  });

  for (const [what, body, pattern] of [
    ["neither an output nor not_performed", {}, /output/],
    ["both", { output: RECEIPT, not_performed: true }, /both/],
    ["an output that breaks the schema", { output: { amount_cents: 500 } }, /output_schema/],
    ["an output that alters a pinned field", { output: { ...RECEIPT, amount_cents: 1 } }, /require_equal/],
    ["a reserved shape", { output: { __salvor_error: {} } }, /reserved/],
    ["a note that is no text", { output: RECEIPT, note: 1 }, /note/],
    ["a null seq", { output: RECEIPT, seq: null }, /seq/],
  ] as const) {
    it(`with ${what} is a bad request`, async () => {
      const run = await dangling();
      const { status, json } = await resolve(run, body);
      assert.equal(status, 400);
      assert.equal(json.error.code, "bad_request");
      assert.match(json.error.message as string, pattern);
      assert.equal((await run.log()).length, 2);
    });
  }

  it("does not override without an operator token", async () => {
    const run = await dangling();
    const { status, json } = await resolve(run, { output: { x: 1 }, override: true, note: "n" });
    assert.equal(status, 403);
    assert.equal(json.error.code, "operator_required");
  });

  it("of an unknown run is unknown_run", async () => {
    const { status } = await server.post("/v1/runs/00000000-0000-4000-8000-00000000ffff/resolve", {
      output: 1,
    });
    assert.equal(status, 404);
  });

  it("by two operators at once has one winner", async () => {
    const run = await dangling();
    const answers = await Promise.all([
      resolve(run, { output: RECEIPT }),
      resolve(run, { not_performed: true }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await run.log()).length, 3);
  });

  it("with an operator token records who decided, overrides with a note, and never takes a reserved shape", async () => {
    const own = await TestServer.start({ operatorToken: OPERATOR });
    try {
      const bearer = OPERATOR;
      const run = await own.open();
      const path = `/v1/runs/${run.id}/resolve`;
      await run.intent(1, "pay_out", { iban: "DE1", amount_cents: 5 });
      await run.complete(1, { output: { transfer_id: "t", amount_cents: 5 } });
      assert.equal((await own.post(path, { output: { odd: 1 }, override: true }, { bearer })).status, 400);
      const reserved = { output: { __salvor_suspend: {} }, override: true, note: "n" };
      assert.equal((await own.post(path, reserved, { bearer })).status, 400);
      await own.post(
        path,
        { output: { odd: 1 }, override: true, note: "split in two", operator: "on call" },
        { bearer },
      );
      assert.deepEqual((await run.log())[2].event.payload, {
        seq: 1,
        output: { odd: 1 },
        resolved_by: { operator: "on call", note: "split in two", override: true },
      });
      await run.intent(3, "charge_card", { cents: 1 });
      await own.post(path, { output: { charge: "c" } }, { bearer });
      assert.deepEqual((await run.log())[4].event.payload.resolved_by, {});
    } finally {
      await own.stop();
    }
  });

  it("of a call whose declaration is gone looks at nothing it cannot hold the output to", async () => {
    const own = await TestServer.start();
    try {
      const run = await own.open();
      await run.intent(1, "refund_card", REFUND);
      await own.restart({ tools: [CHARGE_CARD] });
      const refused = await own.post(`/v1/runs/${run.id}/resolve`, {
        output: { ...RECEIPT, amount_cents: 1 },
      });
      assert.equal(refused.json.error.code, "unknown_tool");
      await own.restart({ tools: TOOLS });
      assert.equal((await own.post(`/v1/runs/${run.id}/resolve`, { output: RECEIPT })).status, 200);
    } finally {
      await own.stop();
    }
  });
});

void describe("abandon", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());
  const abandon = (run: TestRun, body: unknown) => server.post(`/v1/runs/${run.id}/abandon`, body);

  it("ends a running run, with its reason", async () => {
    const run = await server.open();
    const { status, json } = await abandon(run, { reason: "no longer needed" });
    assert.equal(status, 200);
    assert.deepEqual(json, {
      run: run.id,
      abandoned: true,
      appended_seq: 1,
      status: { state: "abandoned", reason: "no longer needed" },
    });
  });

  it("names the write that dangles", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const { json } = await abandon(run, { seq: 1 });
    assert.deepEqual(json.status, { state: "abandoned", unresolved_write: { seq: 1, tool: "refund_card" } });
    assert.deepEqual((await run.log())[2].event.payload, {
      unresolved_write: { seq: 1, tool: "refund_card" },
    });
  });

  it("does not name a read", async () => {
    const run = await server.open();
    await run.intent(1, "get_price", { sku: "a" });
    assert.deepEqual((await abandon(run, {})).json.status, { state: "abandoned" });
  });

  it("ends a suspended run, judged by the position of Suspended", async () => {
    const run = await server.open();
    await run.event(1, "Suspended", { reason: "r", input_schema: {} });
    assert.equal((await abandon(run, { seq: 0 })).json.error.code, "wrong_state");
    assert.equal((await abandon(run, { seq: 1 })).status, 200);
  });

  it("refuses a run that has ended, and a run without an event", async () => {
    const run = await server.open();
    await abandon(run, {});
    const { status, json } = await abandon(run, {});
    assert.equal(status, 409);
    assert.equal(json.error.code, "wrong_state");
    const empty = await server.open({ started: false });
    assert.equal((await abandon(empty, {})).json.error.code, "unknown_run");
  });

  it("refuses a target that is not pending, and a null reason", async () => {
    const run = await server.open();
    await run.intent(1, "charge_card", { cents: 1 });
    assert.equal((await abandon(run, { seq: 2 })).json.error.code, "wrong_state");
    assert.equal((await abandon(run, { reason: null })).json.error.code, "bad_request");
    assert.equal((await run.log()).length, 2);
  });
});

void describe("resume", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());
  const resume = (run: TestRun, body: unknown) => server.post(`/v1/runs/${run.id}/resume`, body);
  const APPROVAL = { type: "object", required: ["approve"], properties: { approve: { type: "boolean" } } };

  async function suspended(input_schema: unknown = APPROVAL): Promise<TestRun> {
    const run = await server.open();
    assert.equal((await run.event(1, "Suspended", { reason: "approve?", input_schema })).status, 200);
    return run;
  }

  it("records the input of a suspended run, which goes on", async () => {
    const run = await suspended();
    const { status, json } = await resume(run, { seq: 1, input: { approve: true } });
    assert.equal(status, 200);
    assert.deepEqual(json, { run: run.id, outcome: "resumed", status: { state: "running" } });
    assert.deepEqual((await run.log())[2].event, { kind: "Resumed", payload: { input: { approve: true } } });
  });

  it("keeps the run parked when the input breaks the recorded schema", async () => {
    const run = await suspended();
    const { status, json } = await resume(run, { input: { approve: "yes" } });
    assert.equal(status, 400);
    assert.equal(json.error.details.violations[0].path, "$.approve");
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.status.state, "suspended");
  });

  it("takes an explicit null as an input and refuses a missing one", async () => {
    const run = await suspended(true);
    assert.equal((await resume(run, {})).json.error.code, "bad_request");
    assert.equal((await resume(run, { input: null })).status, 200);
  });

  it("answers the call that suspended the run, and settles its identity", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    await run.complete(1, { suspend: { reason: "which card?", input_schema: {} } });
    await resume(run, { seq: 3, input: RECEIPT });
    assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json.output, RECEIPT);
    assert.deepEqual((await run.intent(5, "refund_card", REFUND)).json.output, RECEIPT);
  });

  it("extends a budget in its own shape", async () => {
    const run = await server.open();
    await run.event(1, "BudgetExceeded", { budget: { kind: "steps", limit: 5 }, observed: 6 });
    assert.equal((await resume(run, { input: { extend: { steps: -1 } } })).json.error.code, "bad_request");
    assert.equal((await resume(run, { input: { extend: { steps: 5, cost_usd: 0.5 } } })).status, 200);
  });

  it("of a run that has ended answers its state", async () => {
    const run = await server.open();
    await run.event(1, "RunCompleted", { output: 7 });
    const { status, json } = await resume(run, {});
    assert.equal(status, 200);
    assert.deepEqual(json, { run: run.id, outcome: "completed", status: { state: "completed", output: 7 } });
  });

  it("of a dangling write says that it needs reconciliation, with the intent", async () => {
    const run = await server.open();
    const { json: opened } = await run.intent(1, "charge_card", { cents: 1 });
    const { status, json } = await resume(run, { input: 1 });
    assert.equal(status, 409);
    assert.equal(json.error.code, "needs_reconciliation");
    const [, intent] = await run.log();
    assert.deepEqual(json.error.details.intent, {
      kind: "tool",
      seq: 1,
      tool: "charge_card",
      input: { cents: 1 },
      effect: "write",
      idempotency_key: opened.idempotency_key,
      recorded_at: intent.recorded_at,
    });
  });

  it("of a run that is not parked, or at another position, is a wrong state", async () => {
    const run = await server.open();
    assert.equal((await resume(run, { input: 1 })).json.error.code, "wrong_state");
    const parked = await suspended();
    assert.equal((await resume(parked, { seq: 0, input: { approve: true } })).json.error.code, "wrong_state");
  });

  it("by two operators at once has one winner", async () => {
    const run = await suspended();
    const answers = await Promise.all([1, 2].map(() => resume(run, { input: { approve: true } })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  it("with a schema that stalls or that is none leaves the server serving and the run to be abandoned", async () => {
    const stalling = await suspended({ type: "string", pattern: "^(a+)+$" });
    assert.equal((await resume(stalling, { input: `${"a".repeat(50_000)}!` })).status, 400);
    const none = await suspended({ type: "dict" });
    const { json } = await resume(none, { input: 1 });
    assert.match(json.error.message as string, /abandoned/);
    assert.equal((await server.post(`/v1/runs/${none.id}/abandon`, {})).status, 200);
  });
});

void describe("replay", () => {
  it("answers what the log means", async () => {
    const server = await TestServer.start();
    try {
      const run = await server.open();
      assert.deepEqual((await server.get(`/v1/runs/${run.id}/replay`)).json, {
        status: { state: "running" },
        usage: { input_tokens: 0, output_tokens: 0 },
        next_seq: 1,
        pending: null,
      });
    } finally {
      await server.stop();
    }
  });
});
