import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";

const CLIENT = "client-secret";
const OPERATOR = "operator-secret";
const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re_1", amount_cents: 500 };
const PAYOUT = { iban: "DE1", amount_cents: 500 };
const PAID = { transfer_id: "t-1", amount_cents: 500 };

/** docs/security.md, "What a client cannot do": each attempt is made with a valid client token and the current drive token. */
void describe("a client with valid credentials and an operator above it", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ clientToken: CLIENT, operatorToken: OPERATOR });
  });
  after(() => server.stop());

  const open = (): Promise<TestRun> => server.open({ bearer: CLIENT });
  const decide = (run: TestRun, what: string, body: unknown, bearer = CLIENT): Promise<Answer> =>
    server.post(`/v1/runs/${run.id}/${what}`, body, { bearer });
  const detail = async (run: TestRun) => (await server.get(`/v1/runs/${run.id}`, { bearer: CLIENT })).json;
  const raw = (run: TestRun, endpoint: string, text: string) => run.post(endpoint, undefined, { raw: text });

  async function dangling(tool = "refund_card", input: unknown = REFUND): Promise<TestRun> {
    const run = await open();
    assert.equal((await run.intent(1, tool, input)).status, 200);
    return run;
  }

  function assertRefused({ status, json, text }: Answer, expected: number, code: string): void {
    assert.deepEqual([status, json?.error?.code], [expected, code], text);
  }

  /** The write is still there for a person: it dangles, under its key. */
  async function assertStillOpen(run: TestRun, tool: string): Promise<void> {
    const log = await run.log();
    assert.equal(log.length, 2);
    const { pending, status } = await detail(run);
    assert.equal(status.state, "needs_reconciliation");
    assert.equal(pending.tool, tool);
    assert.equal(pending.idempotency_key, log[1].event.payload.idempotency_key);
  }

  it("cannot re-class its write, in the intent, when it is sent again, or in an event", async () => {
    const run = await open();
    for (const effect of ["read", "idempotent", null, {}]) {
      const { json } = await run.post("client-tool-intent", {
        seq: 1,
        tool: "refund_card",
        input: REFUND,
        effect,
      });
      assert.equal(json.effect, "write");
    }
    const again = { seq: 1, tool: "refund_card", input: REFUND, effect: "read", idempotency_key: null };
    assertRefused(await run.event(1, "ToolCallRequested", again), 422, "unsupported_event_kind");
    await assertStillOpen(run, "refund_card");
  });

  it("cannot choose a key, in the body or in the input", async () => {
    const [plain, choosing] = [await open(), await open()];
    const input = { ...REFUND, idempotency_key: "mine" };
    const { json } = await choosing.post("client-tool-intent", {
      seq: 1,
      tool: "refund_card",
      input,
      idempotency_key: "mine",
      run_id: plain.id,
    });
    await plain.intent(1, "refund_card", REFUND);
    assert.match(json.idempotency_key as string, /^sha256:/);
    assert.notEqual(json.idempotency_key, (await plain.log())[1].event.payload.idempotency_key);
  });

  it("cannot change a key by another spelling, another order, another position or more input", async () => {
    const run = await dangling();
    const key = (await run.log())[1].event.payload.idempotency_key as string;
    await run.complete(1, { error: { message: "declined" } });
    const spelled = `{"seq":3,"tool":"refund_card","input":{"note":"x","amount_cents":5.0e2,"order_id":"\\u006f-1"},"idempotency_key":"other"}`;
    const { json } = await raw(run, "client-tool-intent", spelled);
    assert.equal(json.idempotency_key, key);
    const repost = await run.post("client-tool-intent", {
      seq: 1,
      tool: "refund_card",
      input: REFUND,
      idempotency_key: "other",
    });
    assert.equal(repost.json.idempotency_key, key);
  });

  it("cannot perform a settled write again in the same run, whatever it spells differently", async () => {
    const run = await dangling();
    await run.complete(1, { output: RECEIPT });
    const { json } = await run.intent(3, "refund_card", { ...REFUND, note: "once more" });
    assert.deepEqual([json.settled, json.output], [true, RECEIPT]);
    assertRefused(
      await run.intent(5, "refund_card", { order_id: "o-1", amount_cents: 501 }),
      409,
      "divergence",
    );
    const performed = (await run.log()).filter(
      ({ event }) => event.kind === "ToolCallCompleted" && event.payload.deduplicated_from === undefined,
    );
    assert.equal(performed.length, 1);
  });

  for (const [how, output] of [
    ["by another amount", { ...RECEIPT, amount_cents: 900 }],
    ["by its sign", { ...RECEIPT, amount_cents: -500 }],
  ] as const) {
    it(`cannot alter a pinned field ${how}, and the attempt is kept`, async () => {
      const run = await dangling();
      assertRefused(await run.complete(1, { output }), 403, "client_completion_refused");
      await assertStillOpen(run, "refund_card");
      const { refused_reports: reports } = await detail(run);
      assert.deepEqual(
        reports.map((report: { code: string; output: unknown }) => [report.code, report.output]),
        [["client_completion_refused", output]],
      );
    });
  }

  it("cannot alter a pinned field by leaving it out, spelling it as text, or hiding it in a prototype", async () => {
    const run = await dangling();
    const { refund_id } = RECEIPT;
    for (const output of [
      { refund_id },
      { refund_id, amount_cents: "500" },
      { refund_id, amount_cents: null },
    ]) {
      assertRefused(await run.complete(1, { output }), 400, "bad_request");
    }
    const hidden = `{"seq":1,"output":{"refund_id":"re_1","__proto__":{"amount_cents":500}}}`;
    assertRefused(await raw(run, "client-tool-completion", hidden), 400, "bad_request");
    const twice = `{"seq":1,"output":{"refund_id":"re_1","amount_cents":900,"amount_cents":500}}`;
    assertRefused(await raw(run, "client-tool-completion", twice), 400, "bad_request");
    await assertStillOpen(run, "refund_card");
  });

  it("cannot close a write without a receipt", async () => {
    const run = await dangling();
    for (const output of [null, true, "done", [], {}, { amount_cents: 500 }, { ...RECEIPT, refund_id: "" }]) {
      assertRefused(await run.complete(1, { output }), 400, "bad_request");
    }
    for (const output of [{ __salvor_error: {} }, { __salvor_suspend: {} }]) {
      assertRefused(await run.complete(1, { output }), 400, "bad_request");
    }
    const ran = { error: { message: "lost it", kind: "output_serialization" } };
    assertRefused(await run.complete(1, ran), 400, "bad_request");
    await assertStillOpen(run, "refund_card");
  });

  it("cannot close a call that declares no receipt at all", async () => {
    const run = await dangling("look_up", { q: "x" });
    for (const report of [
      { output: 1 },
      { error: { message: "no" } },
      { suspend: { reason: "r", input_schema: {} } },
    ]) {
      assertRefused(await run.complete(1, report), 403, "client_completion_refused");
    }
    assert.equal((await run.log()).length, 2);
  });

  it("cannot settle what only a person may settle: not by a report, by either resolve, or by an override", async () => {
    const run = await dangling("pay_out", PAYOUT);
    for (const report of [
      { output: PAID },
      { error: { message: "no" } },
      { suspend: { reason: "r", input_schema: {} } },
    ]) {
      assertRefused(await run.complete(1, report), 403, "client_completion_refused");
    }
    for (const body of [
      { output: PAID },
      { not_performed: true },
      { output: PAID, override: true, note: "trust me", operator: "me" },
    ]) {
      assertRefused(await decide(run, "resolve", body), 403, "operator_required");
      assertRefused(await run.post("resolve", body), 403, "operator_required");
    }
    await assertStillOpen(run, "pay_out");
    assert.equal((await decide(run, "resolve", { seq: 1, output: PAID }, OPERATOR)).status, 200);
  });

  it("cannot pass for the operator by a guess, by a second header, or by what it says of itself", async () => {
    const run = await dangling("pay_out", PAYOUT);
    const path = `/v1/runs/${run.id}/resolve`;
    for (const bearer of ["", "operator", `${OPERATOR} `.repeat(2), `${CLIENT}, Bearer ${OPERATOR}`]) {
      assertRefused(await server.post(path, { output: PAID }, { bearer }), 401, "unauthorized");
    }
    const told = await decide(run, "resolve", { output: PAID, operator: OPERATOR, bearer: OPERATOR });
    assertRefused(told, 403, "operator_required");
    await assertStillOpen(run, "pay_out");
  });

  it("cannot approve its own suspension, alone or among other events, or walk past it", async () => {
    const run = await dangling();
    await run.complete(1, { suspend: { reason: "which card?", input_schema: { type: "object" } } });
    const resumed = run.envelope(4, "Resumed", { input: RECEIPT });
    const now = run.envelope(5, "NowObserved", { now: "2026-01-01T00:00:00Z" });
    assertRefused(await run.post("events", { events: [resumed] }), 403, "operator_required");
    assertRefused(await run.post("events", { events: [resumed, now] }), 403, "operator_required");
    assertRefused(await decide(run, "resume", { input: RECEIPT }), 403, "operator_required");
    assertRefused(await run.event(4, "NowObserved", { now: "2026-01-01T00:00:00Z" }), 409, "divergence");
    assertRefused(await run.intent(4, "charge_card", { cents: 1 }), 409, "divergence");
    assertRefused(await run.intent(4, "refund_card", REFUND), 409, "divergence");
    assert.equal((await detail(run)).status.state, "suspended");
  });

  it("cannot hide a write by abandoning or by ending the run", async () => {
    const run = await dangling();
    assertRefused(await decide(run, "abandon", {}), 403, "operator_required");
    assertRefused(await run.event(2, "RunAbandoned", {}), 422, "unsupported_event_kind");
    assertRefused(await run.event(2, "RunCompleted", { output: null }), 409, "divergence");
    assertRefused(await run.event(2, "RunFailed", { error: "no" }), 409, "divergence");
    await assertStillOpen(run, "refund_card");

    await decide(run, "abandon", { seq: 1 }, OPERATOR);
    const unresolved = { seq: 1, tool: "refund_card" };
    assert.deepEqual((await detail(run)).status, { state: "abandoned", unresolved_write: unresolved });
    assertRefused(await run.complete(1, { output: RECEIPT }), 409, "divergence");
    assertRefused(await run.intent(3, "refund_card", REFUND), 409, "divergence");
  });

  it("cannot hide a write by opening the run again", async () => {
    const run = await dangling();
    const body = { run_id: run.id.toUpperCase(), agent: "another", record_prompts: true };
    const { status, json } = await server.post("/v1/client-runs", body, { bearer: CLIENT });
    assert.equal(status, 200);
    assert.equal(json.log.length, 2);
    assertRefused(await run.complete(1, { output: RECEIPT }), 403, "invalid_drive_token");
    await assertStillOpen(run, "refund_card");
    const drive = json.drive_token as string;
    const next = await run.post(
      "client-tool-intent",
      { seq: 2, tool: "refund_card", input: REFUND },
      { drive },
    );
    assert.deepEqual(next.json.error.details.holder, { run_id: run.id, seq: 1 });
    const started = run.envelope(0, "RunStarted", { agent_def_hash: "another", input: {} });
    assertRefused(await run.post("events", { events: [started] }, { drive }), 409, "divergence");
  });

  it("cannot hide a write by restarting: what dangles, who holds it and what was refused are still there", async () => {
    const own = await TestServer.start({ clientToken: CLIENT, operatorToken: OPERATOR });
    try {
      const run = await own.open({ bearer: CLIENT });
      const first = await run.intent(1, "refund_card", REFUND);
      await run.complete(1, { output: { ...RECEIPT, amount_cents: 1 } });
      await own.restart();
      const { json } = await own.get(`/v1/runs/${run.id}`, { bearer: CLIENT });
      assert.equal(json.pending.idempotency_key, first.json.idempotency_key);
      assert.equal(json.refused_reports.length, 1);
      const waiting = await own.get("/v1/runs?group=waiting", { bearer: CLIENT });
      assert.deepEqual(
        waiting.json.runs.map((listed: { run: string }) => listed.run),
        [run.id],
      );
      assert.deepEqual((await run.intent(1, "refund_card", REFUND)).json, first.json);
      assertRefused(await run.intent(2, "refund_card", REFUND), 409, "divergence");
    } finally {
      await own.stop();
    }
  });

  it("cannot slip a duplicate in by racing itself: one of many intents of one identity is recorded", async () => {
    const run = await open();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        run.intent(1 + (at % 3), "refund_card", at % 2 === 0 ? REFUND : { ...REFUND, note: "x" }),
      ),
    );
    assert.ok(answers.some(({ status }) => status === 200));
    await assertStillOpen(run, "refund_card");
  });

  it("cannot land a request of a superseded driver by racing the one that took over", async () => {
    for (let round = 0; round < 8; round += 1) {
      const run = await open();
      const [late, taken] = await Promise.all([
        run.intent(1, "charge_card", { cents: round }),
        server.post("/v1/client-runs", { run_id: run.id }, { bearer: CLIENT }),
      ]);
      // The log that the new driver was given is the whole truth: nothing of the old one comes after it.
      assert.deepEqual(await run.log(), taken.json.log);
      assert.equal(late.status === 200, taken.json.log.length === 2);
      if (late.status !== 200) assertRefused(late, 403, "invalid_drive_token");
    }
  });

  it("cannot race its report against the decision of a person: one of both is recorded", async () => {
    for (let round = 0; round < 8; round += 1) {
      const run = await dangling();
      const [reported, decided] = await Promise.all([
        run.complete(1, { output: RECEIPT }),
        decide(run, "resolve", { seq: 1, not_performed: true, note: "not in the ledger" }, OPERATOR),
      ]);
      assert.deepEqual([reported.status, decided.status].sort(), [200, 409]);
      assert.equal((await run.log()).length, 3);
    }
  });

  it("cannot make an event by hand, alter one that is recorded, or date it", async () => {
    const run = await open();
    const call = { seq: 1, tool: "refund_card", input: REFUND, effect: "write", idempotency_key: null };
    const forged: readonly (readonly [kind: string, payload: unknown])[] = [
      ["ToolCallRequested", call],
      ["ToolCallCompleted", { seq: 1, output: RECEIPT }],
      ["ModelCallRequested", { seq: 1, request_hash: "sha256:0" }],
      ["ModelCallCompleted", { seq: 1, response: {}, usage: { input_tokens: 0, output_tokens: 0 } }],
      ["RunAbandoned", {}],
      ["toolCallRequested", call],
      ["ToolCallRequested ", call],
      ["__proto__", {}],
    ];
    for (const [kind, payload] of forged) {
      assertRefused(await run.event(1, kind, payload), 422, "unsupported_event_kind");
      const hidden = [
        run.envelope(1, "NowObserved", { now: "2026-01-01T00:00:00Z" }),
        run.envelope(2, kind, payload),
      ];
      assertRefused(await run.post("events", { events: hidden }), 422, "unsupported_event_kind");
    }
    assertRefused(await run.event(0, "RunStarted", { agent_def_hash: "x", input: 1 }), 409, "divergence");
    const [started] = await run.log();
    assert.notEqual(started.recorded_at, run.envelope(0, "", {}).recorded_at);
    assert.equal((await run.log()).length, 1);
  });

  it("cannot write into a run of another driver, whose token it does not hold", async () => {
    const [mine, other] = [await open(), await dangling()];
    for (const drive of [
      mine.token,
      "dt_00000000000000000000000000000000",
      `${other.token}, ${other.token}`,
    ]) {
      const answer = await other.post("client-tool-completion", { seq: 1, output: RECEIPT }, { drive });
      assertRefused(answer, 403, "invalid_drive_token");
    }
    const smuggled = {
      ...mine.envelope(2, "NowObserved", { now: "2026-01-01T00:00:00Z" }),
      run_id: other.id,
    };
    assertRefused(await mine.post("events", { events: [{ ...smuggled, seq: 1 }] }), 409, "divergence");
    await assertStillOpen(other, "refund_card");
  });
});
