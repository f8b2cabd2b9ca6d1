import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hashValue } from "#salvor/log/canonical-json.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";
import { CHARGE_CARD, TOOLS } from "../support/tools.js";

const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re_1", amount_cents: 500 };

void describe("a client-tool completion", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  async function opened(tool = "refund_card", input: unknown = REFUND): Promise<TestRun> {
    const run = await server.open();
    assert.equal((await run.intent(1, tool, input)).status, 200);
    return run;
  }

  function assertRefused(answer: Answer, status: number, code: string, ...words: readonly RegExp[]): void {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.json.error.code, code);
    for (const word of words) assert.match(answer.json.error.message as string, word);
  }

  it("that matches is recorded", async () => {
    const run = await opened();
    const { status, json } = await run.complete(1, { output: RECEIPT });
    assert.equal(status, 200);
    assert.deepEqual(json, { seq: 1, completed: true });
    const log = await run.log();
    assert.deepEqual(log[2].event, { kind: "ToolCallCompleted", payload: { seq: 1, output: RECEIPT } });
  });

  it("with the same content is recognised at any later time, and writes nothing", async () => {
    const run = await opened();
    await run.complete(1, { output: RECEIPT });
    await run.event(3, "RunCompleted", { output: null });
    const again = await run.complete(1, { output: { amount_cents: 500, refund_id: "re_1" } });
    assert.deepEqual(again.json, { seq: 1, completed: true });
    assert.equal((await run.log()).length, 4);
  });

  it("with other content than the recorded one is a divergence", async () => {
    const run = await opened();
    await run.complete(1, { output: RECEIPT });
    assertRefused(await run.complete(1, { output: { ...RECEIPT, refund_id: "re_2" } }), 409, "divergence");
    assertRefused(await run.complete(1, { error: { message: "no" } }), 409, "divergence");
  });

  it("sent sixteen times at once with different contents records one and refuses fifteen", async () => {
    const run = await opened();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        run.complete(1, { output: { ...RECEIPT, refund_id: `re_${at}` } }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array<number>(15).fill(409)]);
    assert.equal((await run.log()).length, 3);
  });

  for (const [what, report] of [
    ["nothing", {}],
    ["an output and an error", { output: RECEIPT, error: { message: "no" } }],
    ["an output and a suspension", { output: null, suspend: { reason: "r", input_schema: {} } }],
    ["an error without a message", { error: {} }],
    ["an error of no known kind", { error: { message: "no", kind: "other" } }],
    ["a suspension without a schema", { suspend: { reason: "r" } }],
  ] as const) {
    it(`that carries ${what} is a bad request`, async () => {
      const run = await opened();
      const answer = await run.complete(1, report);
      assertRefused(answer, 400, "bad_request");
      assert.ok(answer.json.error.details.violations.length > 0);
      assert.equal((await run.log()).length, 2);
    });
  }

  it("that carries nothing is told what it may carry", async () => {
    const run = await opened();
    assert.match(
      (await run.complete(1, {})).json.error.message as string,
      /exactly one of .*output.*error.*suspend/,
    );
  });

  it("is a divergence where the log does not end at that intent", async () => {
    const run = await server.open();
    assertRefused(await run.complete(0, { output: 1 }), 409, "divergence");
    assertRefused(await run.complete(1, { output: 1 }), 409, "divergence");
    const abandoned = await opened();
    await server.post(`/v1/runs/${abandoned.id}/abandon`, {});
    assertRefused(await abandoned.complete(1, { output: RECEIPT }), 409, "divergence");
  });

  it("of a tool that is no longer declared is unknown_tool", async () => {
    const own = await TestServer.start();
    try {
      const run = await own.open();
      await run.intent(1, "refund_card", REFUND);
      await own.restart({ tools: [CHARGE_CARD] });
      assertRefused(await run.complete(1, { output: RECEIPT }), 404, "unknown_tool");
      await own.restart({ tools: TOOLS });
      assert.equal((await run.complete(1, { output: RECEIPT })).status, 200);
    } finally {
      await own.stop();
    }
  });

  it("is refused where a person settles every call, naming the path that settles it", async () => {
    const run = await opened("pay_out", { iban: "DE1", amount_cents: 5 });
    const path = new RegExp(`/v1/runs/${run.id}/resolve`);
    const report = { output: { transfer_id: "t", amount_cents: 5 } };
    assertRefused(
      await run.complete(1, report),
      403,
      "client_completion_refused",
      /trust_completion = false/,
      path,
    );
    assertRefused(
      await run.complete(1, { error: { message: "no" } }),
      403,
      "client_completion_refused",
      path,
    );
    assertRefused(
      await run.complete(1, { suspend: { reason: "r", input_schema: {} } }),
      403,
      "client_completion_refused",
    );
  });

  it("is refused without an output_schema, even as a failure", async () => {
    const run = await opened("look_up", { q: "x" });
    const path = new RegExp(`/v1/runs/${run.id}/resolve`);
    assertRefused(
      await run.complete(1, { output: 1 }),
      403,
      "client_completion_refused",
      /no output_schema/,
      path,
    );
    assertRefused(
      await run.complete(1, { error: { message: "no" } }),
      403,
      "client_completion_refused",
      /no output_schema/,
    );
  });

  for (const reserved of [
    { __salvor_error: { is_error: true, kind: "handler", message: "m", attempts: 1 } },
    { __salvor_suspend: { reason: "r", input_schema: {} } },
    { __salvor_error: 1 },
  ]) {
    it(`may not smuggle in ${JSON.stringify(reserved).slice(0, 30)}`, async () => {
      const run = await opened();
      assertRefused(await run.complete(1, { output: reserved }), 400, "bad_request", /reserved/);
    });
  }

  it("that breaks the output_schema is refused with every violation", async () => {
    const run = await opened();
    const answer = await run.complete(1, { output: { refund_id: "", amount_cents: "500" } });
    assertRefused(answer, 400, "bad_request", /output_schema/);
    assert.equal(answer.json.error.details.violations.length, 2);
  });

  it("that alters a pinned field is refused, naming the field, both values, the rule and the path", async () => {
    const run = await opened();
    const answer = await run.complete(1, { output: { ...RECEIPT, amount_cents: 900 } });
    assertRefused(
      answer,
      403,
      "client_completion_refused",
      /require_equal/,
      /amount_cents/,
      /900/,
      /500/,
      new RegExp(`/v1/runs/${run.id}/resolve`),
    );
  });

  it("may be corrected under the same key after a refusal", async () => {
    const run = await opened();
    await run.complete(1, { output: { amount_cents: 500 } });
    assert.equal((await run.complete(1, { output: RECEIPT })).status, 200);
  });

  it("of a failure records the sentinel with one attempt", async () => {
    const run = await opened();
    assert.equal(
      (await run.complete(1, { error: { message: "no card", kind: "invalid_input" } })).status,
      200,
    );
    const log = await run.log();
    assert.deepEqual(log[2].event.payload.output, {
      __salvor_error: { is_error: true, kind: "invalid_input", message: "no card", attempts: 1 },
    });
    assert.deepEqual(
      (await run.complete(1, { error: { message: "no card", kind: "invalid_input" } })).status,
      200,
    );
  });

  it("may not call a write that ran failed because its output could not be recorded", async () => {
    const run = await opened();
    const report = { error: { message: "cycle", kind: "output_serialization" } };
    assertRefused(await run.complete(1, report), 400, "bad_request", /output_serialization/);
  });

  it("that suspends records the sentinel and Suspended as one append, and resuming answers the call", async () => {
    const run = await opened();
    const suspend = { reason: "which card?", input_schema: { type: "object" } };
    assert.deepEqual((await run.complete(1, { suspend })).json, { seq: 1, completed: true });
    const log = await run.log();
    assert.deepEqual(log[2].event.payload, { seq: 1, output: { __salvor_suspend: suspend } });
    assert.deepEqual(log[3].event, { kind: "Suspended", payload: suspend });
    assert.equal((await run.complete(1, { suspend })).status, 200);
    assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json.output, { __salvor_suspend: suspend });

    const held = await run.intent(4, "refund_card", REFUND);
    assert.deepEqual(held.json.error.details.holder, { run_id: run.id, seq: 1 });

    assert.equal((await run.event(4, "Resumed", { input: RECEIPT })).status, 200);
    assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json.output, RECEIPT);
    assert.deepEqual((await run.intent(5, "refund_card", REFUND)).json.output, RECEIPT);
  });

  it("that contradicts how the call was settled, or comes when the run is over, is refused and kept", async () => {
    const settled = await opened();
    await server.post(`/v1/runs/${settled.id}/resolve`, { not_performed: true, note: "not in the ledger" });
    assertRefused(await settled.complete(1, { output: RECEIPT }), 409, "divergence");
    const abandoned = await opened();
    await server.post(`/v1/runs/${abandoned.id}/abandon`, {});
    assertRefused(await abandoned.complete(1, { output: RECEIPT }), 409, "divergence");
    for (const run of [settled, abandoned]) {
      const { refused_reports: kept } = (await server.get(`/v1/runs/${run.id}`)).json;
      assert.equal(kept.length, 1);
      assert.deepEqual([kept[0].seq, kept[0].code, kept[0].output], [1, "divergence", RECEIPT]);
    }
  });

  it("that repeats what is recorded, or is about no call of the client, leaves nothing", async () => {
    const run = await opened();
    await run.complete(1, { output: RECEIPT });
    await run.complete(1, { output: RECEIPT });
    await run.complete(0, { output: RECEIPT });
    await run.complete(9, { output: RECEIPT });
    assert.ok(!Object.hasOwn((await server.get(`/v1/runs/${run.id}`)).json as object, "refused_reports"));
  });

  it("that is refused and too large to keep leaves its length and its hash", async () => {
    const run = await opened();
    const output = { ...RECEIPT, amount_cents: 1, padding: "é".repeat(200_000) };
    assertRefused(await run.complete(1, { output }), 403, "client_completion_refused");
    const [report] = (await server.get(`/v1/runs/${run.id}`)).json.refused_reports;
    assert.ok(!Object.hasOwn(report as object, "output"));
    assert.deepEqual(report.omitted, {
      bytes: Buffer.byteLength(JSON.stringify(output)),
      hash: hashValue(output),
    });
  });

  it("that was refused is kept with its time, code, message and output, the last five of each intent, across restarts", async () => {
    const own = await TestServer.start();
    try {
      const run = await own.open();
      await run.intent(1, "refund_card", REFUND);
      for (let cents = 1; cents <= 7; cents += 1)
        await run.complete(1, { output: { ...RECEIPT, amount_cents: cents } });
      await own.restart();
      const { json } = await own.get(`/v1/runs/${run.id}`);
      assert.deepEqual(
        json.refused_reports.map(
          (report: { output: { amount_cents: number } }) => report.output.amount_cents,
        ),
        [3, 4, 5, 6, 7],
      );
      for (const report of json.refused_reports) {
        assert.equal(report.seq, 1);
        assert.equal(report.code, "client_completion_refused");
        assert.match(report.message as string, /require_equal/);
        assert.ok(!Number.isNaN(Date.parse(report.time as string)));
      }
      assert.equal((await run.log()).length, 2);
    } finally {
      await own.stop();
    }
  });
});
