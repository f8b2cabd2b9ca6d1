import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer } from "../support/test-server.js";
import { CHARGE_CARD, REFUND_CARD, TOOLS } from "../support/tools.js";

const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re_1", amount_cents: 500 };

void describe("a client-tool intent", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  it("is recorded with the operator's effect and the derived key, whatever the body says of them", async () => {
    const run = await server.open();
    const answer = await run.post("client-tool-intent", {
      seq: 1,
      tool: "charge_card",
      input: { cents: 5 },
      effect: "read",
      idempotency_key: "mine",
      performed_by: "server",
    });
    assert.equal(answer.status, 200);
    const [, intent] = await run.log();
    assert.deepEqual(intent.event, {
      kind: "ToolCallRequested",
      payload: {
        seq: 1,
        tool: "charge_card",
        input: { cents: 5 },
        effect: "write",
        idempotency_key: answer.json.idempotency_key,
        performed_by: "client",
      },
    });
    assert.deepEqual(Object.keys(answer.json).sort(), ["effect", "idempotency_key", "seq", "settled"]);
    assert.equal(answer.json.settled, false);
  });

  it("derives the key of the wire contract's vector", async () => {
    const id = "00000000-0000-4000-8000-000000000001";
    const opened = await server.post("/v1/client-runs", { run_id: id });
    const drive = opened.json.drive_token as string;
    const path = `/v1/client-runs/${id}`;
    const started = { kind: "RunStarted", payload: { agent_def_hash: "a", input: null } };
    await server.post(
      `${path}/events`,
      { events: [{ run_id: id, seq: 0, schema_version: 1, event: started }] },
      { drive },
    );
    const intent = { seq: 1, tool: "charge_card", input: { cents: 1 } };
    const { json } = await server.post(`${path}/client-tool-intent`, intent, { drive });
    assert.equal(
      json.idempotency_key,
      "sha256:514bc81f163e3c20496a39bc47f9568b1c8c49edb3b15eabfc1d3b52b66c4158",
    );
  });

  it("re-posted answers the recorded key and effect, and writes nothing", async () => {
    const run = await server.open();
    const first = await run.intent(1, "refund_card", REFUND);
    const second = await run.intent(1, "refund_card", { amount_cents: 500, order_id: "o-1" });
    assert.deepEqual(second.json, first.json);
    assert.equal((await run.log()).length, 2);
  });

  it("re-posted after its completion answers the output", async () => {
    const run = await server.open();
    const first = await run.intent(1, "refund_card", REFUND);
    await run.complete(1, { output: RECEIPT });
    const { json } = await run.intent(1, "refund_card", REFUND);
    assert.deepEqual(json, { ...first.json, settled: true, output: RECEIPT });
  });

  it("re-posted after a recorded failure answers the sentinel as its output", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    await run.complete(1, { error: { message: "card expired" } });
    const { json } = await run.intent(1, "refund_card", REFUND);
    assert.deepEqual(json.output, {
      __salvor_error: { is_error: true, kind: "handler", message: "card expired", attempts: 1 },
    });
  });

  it("is recognised whatever is declared now", async () => {
    const own = await TestServer.start();
    try {
      const run = await own.open();
      const first = await run.intent(1, "refund_card", REFUND);
      await own.restart({ tools: [CHARGE_CARD, { ...REFUND_CARD, effect: "read", idempotency_key: [] }] });
      assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json, first.json);
      await own.restart({ tools: [CHARGE_CARD] });
      assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json, first.json);
    } finally {
      await own.stop();
    }
  });

  for (const [what, tool, input] of [
    ["another tool", "charge_card", { cents: 500 }],
    ["another input", "refund_card", { ...REFUND, amount_cents: 501 }],
    ["more input", "refund_card", { ...REFUND, note: "x" }],
  ] as const) {
    it(`with ${what} at a recorded position is a divergence`, async () => {
      const run = await server.open();
      await run.intent(1, "refund_card", REFUND);
      const { status, json } = await run.intent(1, tool, input);
      assert.equal(status, 409);
      assert.equal(json.error.code, "divergence");
      assert.equal((await run.log()).length, 2);
    });
  }

  it("at a position that holds no call is a divergence", async () => {
    const run = await server.open();
    const { status, json } = await run.intent(0, "refund_card", REFUND);
    assert.equal(status, 409);
    assert.match(json.error.message, /position 0 .* no tool intent/);
  });

  it("of an undeclared tool is unknown_tool and writes nothing", async () => {
    const run = await server.open();
    const { status, json } = await run.intent(1, "constructor", {});
    assert.equal(status, 404);
    assert.equal(json.error.code, "unknown_tool");
    assert.equal((await run.log()).length, 1);
  });

  it("whose input breaks the schema is refused with every violation", async () => {
    const run = await server.open();
    const { status, json } = await run.intent(1, "refund_card", { order_id: 7, amount_cents: 1.5 });
    assert.equal(status, 400);
    assert.equal(json.error.code, "bad_request");
    assert.match(json.error.message, /input_schema/);
    assert.deepEqual(
      json.error.details.violations.map((violation: { path: string }) => violation.path).sort(),
      ["$.amount_cents", "$.order_id"],
    );
    assert.equal((await run.log()).length, 1);
  });

  it("is judged in order: declared, input, then the guard", async () => {
    const run = await server.open();
    assert.equal((await run.intent(9, "nope", {})).json.error.code, "unknown_tool");
    assert.equal((await run.intent(9, "refund_card", {})).json.error.code, "bad_request");
    const { json } = await run.intent(9, "refund_card", REFUND);
    assert.equal(json.error.code, "divergence");
    assert.match(json.error.message, /rule 2 .*found seq 9, expected seq 1/);
  });

  it("before RunStarted is refused by the guard", async () => {
    const run = await server.open({ started: false });
    const { status, json } = await run.intent(0, "refund_card", REFUND);
    assert.equal(status, 409);
    assert.match(json.error.message, /rule 3/);
  });

  it("while another call is open is refused by the guard", async () => {
    const run = await server.open();
    await run.intent(1, "charge_card", { cents: 1 });
    const { status, json } = await run.intent(2, "charge_card", { cents: 2 });
    assert.equal(status, 409);
    assert.match(json.error.message, /rule 7/);
  });

  it("sent sixteen times at once is one event and sixteen equal answers", async () => {
    const run = await server.open();
    const answers = await Promise.all(Array.from({ length: 16 }, () => run.intent(1, "refund_card", REFUND)));
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, answers[0]?.json);
    }
    assert.equal((await run.log()).length, 2);
  });

  void describe("with a declared identity", () => {
    it("has the same key at another position and in another order of fields", async () => {
      const run = await server.open();
      const first = await run.intent(1, "set_address", { customer: "c", street: "s" });
      await run.complete(1, { error: { message: "no" } });
      const second = await run.intent(3, "set_address", { street: "s", customer: "c" });
      assert.equal(second.status, 200);
      assert.equal(second.json.idempotency_key, first.json.idempotency_key);
    });

    it("that is settled is answered from the first call, as one append", async () => {
      const run = await server.open();
      const first = await run.intent(1, "refund_card", REFUND);
      await run.complete(1, { output: RECEIPT });
      const { status, json } = await run.intent(3, "refund_card", { ...REFUND, note: "again" });
      assert.equal(status, 200);
      assert.deepEqual(json, { ...first.json, seq: 3, settled: true, output: RECEIPT });
      const log = await run.log();
      assert.equal(log.length, 5);
      assert.deepEqual(log[4].event, {
        kind: "ToolCallCompleted",
        payload: { seq: 3, output: RECEIPT, deduplicated_from: { run_id: run.id, seq: 1 } },
      });
      assert.equal(log[3].recorded_at, log[4].recorded_at);
    });

    it("whose settled answer does not fit this call is a divergence that names the holder, and writes nothing", async () => {
      const run = await server.open();
      await run.intent(1, "refund_card", REFUND);
      await run.complete(1, { output: RECEIPT });
      const { status, json } = await run.intent(3, "refund_card", { ...REFUND, amount_cents: 600 });
      assert.equal(status, 409);
      assert.equal(json.error.code, "divergence");
      assert.deepEqual(json.error.details.holder, { run_id: run.id, seq: 1 });
      assert.match(json.error.message, /require_equal/);
      assert.equal((await run.log()).length, 3);
    });

    it("that is still open is a divergence with its holder", async () => {
      const run = await server.open();
      await run.intent(1, "refund_card", REFUND);
      const { status, json } = await run.intent(2, "refund_card", REFUND);
      assert.equal(status, 409);
      assert.deepEqual(json.error.details.holder, { run_id: run.id, seq: 1 });
    });

    it("is another identity in another run", async () => {
      const [one, two] = [await server.open(), await server.open()];
      const first = await one.intent(1, "refund_card", REFUND);
      const second = await two.intent(1, "refund_card", REFUND);
      assert.equal(second.status, 200);
      assert.notEqual(second.json.idempotency_key, first.json.idempotency_key);
    });

    for (const kind of ["handler", "invalid_input"] as const) {
      it(`is released by a failure of kind ${kind}: the same call may be asked for again under the same key`, async () => {
        const run = await server.open();
        const first = await run.intent(1, "refund_card", REFUND);
        await run.complete(1, { error: { message: "no", kind } });
        const again = await run.intent(3, "refund_card", REFUND);
        assert.equal(again.status, 200);
        assert.deepEqual(again.json, { ...first.json, seq: 3 });
        await run.complete(3, { output: RECEIPT });
        assert.deepEqual((await run.intent(5, "refund_card", REFUND)).json.output, RECEIPT);
      });
    }

    it("is not released by an output that could not be recorded: its effect ran", async () => {
      const run = await server.open();
      await run.intent(1, "set_address", { customer: "c", street: "s" });
      const reported = await run.complete(1, { error: { message: "cycle", kind: "output_serialization" } });
      assert.equal(reported.status, 200);
      const { status, json } = await run.intent(3, "set_address", { customer: "c", street: "s" });
      assert.equal(status, 409);
      assert.deepEqual(json.error.details.holder, { run_id: run.id, seq: 1 });
    });

    it("of a read is never answered from an older call", async () => {
      const run = await server.open();
      await run.intent(1, "get_price", { sku: "a" });
      await run.complete(1, { output: { cents: 5 } });
      const { json } = await run.intent(3, "get_price", { sku: "a" });
      assert.equal(json.settled, false);
    });

    it("survives a restart, open and settled", async () => {
      const own = await TestServer.start();
      try {
        const run = await own.open();
        const first = await run.intent(1, "refund_card", REFUND);
        await own.restart({ tools: TOOLS });
        assert.deepEqual((await run.intent(2, "refund_card", REFUND)).json.error.details.holder, {
          run_id: run.id,
          seq: 1,
        });
        await run.complete(1, { output: RECEIPT });
        await own.restart();
        const copied = await run.intent(3, "refund_card", REFUND);
        assert.deepEqual(copied.json, { ...first.json, seq: 3, settled: true, output: RECEIPT });
      } finally {
        await own.stop();
      }
    });
  });
});
