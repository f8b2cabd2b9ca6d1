import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AppState, startServer } from "#salvor/server/index.js";
import { openLowdbStore } from "#salvor/store/index.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";

const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re_1", amount_cents: 500 };
const REPLY = { response: "hi", usage: { input_tokens: 1, output_tokens: 2 } };
const STARTED = { agent_def_hash: "sha256:agent", input: {} };

function refund(seq: number, input: object = REFUND) {
  return { tool_intent: { seq, tool: "refund_card", input } };
}

function refunded(seq: number, output: object = RECEIPT) {
  return { tool_completion: { seq, output } };
}

function charge(seq: number) {
  return { tool_intent: { seq, tool: "charge_card", input: { cents: 5 } } };
}

function charged(seq: number) {
  return { tool_completion: { seq, output: { charge: "ch_1" } } };
}

void describe("steps", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  function send(run: TestRun, ...steps: readonly object[]): Promise<Answer> {
    return run.post("steps", { steps });
  }

  async function kinds(run: TestRun): Promise<readonly string[]> {
    return (await run.log()).map(({ event }) => event.kind as string);
  }

  /** The step that was refused, and with what; nothing was written. */
  async function refusal(run: TestRun, ...steps: readonly object[]) {
    const before = await run.log();
    const { status, json } = await send(run, ...steps);
    assert.deepEqual(await run.log(), before);
    return [status, json.error.code, json.error.details.step];
  }

  it("close one call and open the next in one request, each answered as by its own endpoint", async () => {
    const run = await server.open();
    const first = await run.intent(1, "refund_card", REFUND);
    const { status, json } = await send(run, refunded(1), charge(3));
    assert.equal(status, 200);
    const again = await run.intent(3, "charge_card", { cents: 5 });
    assert.deepEqual(json, { results: [{ seq: 1, completed: true }, again.json] });
    assert.deepEqual([again.json.settled, again.json.effect], [false, "write"]);
    assert.equal(typeof first.json.idempotency_key, "string");
    assert.deepEqual(
      (await run.log()).slice(2).map(({ seq, event }) => [seq, event]),
      [
        [2, { kind: "ToolCallCompleted", payload: { seq: 1, output: RECEIPT } }],
        [
          3,
          {
            kind: "ToolCallRequested",
            payload: {
              seq: 3,
              tool: "charge_card",
              input: { cents: 5 },
              effect: "write",
              idempotency_key: again.json.idempotency_key,
              performed_by: "client",
            },
          },
        ],
      ],
    );
  });

  it("take a step of every kind, in their order", async () => {
    const run = await server.open({ started: false });
    const first = await send(
      run,
      { event: run.envelope(0, "RunStarted", STARTED) },
      { event: run.envelope(1, "RandomObserved", { value: 7 }) },
      { model_intent: { seq: 2, request_hash: "h" } },
    );
    assert.deepEqual(first.json, {
      results: [{ appended: [0] }, { appended: [1] }, { seq: 2, settled: false }],
    });
    const second = await send(run, { model_completion: { seq: 2, ...REPLY } }, charge(4));
    assert.deepEqual(second.json.results[0], { seq: 2, completed: true });
    assert.equal(second.json.results[1].settled, false);
    await send(run, charged(4), { event: run.envelope(6, "RunCompleted", { output: null }) });
    assert.deepEqual(await kinds(run), [
      "RunStarted",
      "RandomObserved",
      "ModelCallRequested",
      "ModelCallCompleted",
      "ToolCallRequested",
      "ToolCallCompleted",
      "RunCompleted",
    ]);
  });

  it("are one durable append, which asks the store once", async () => {
    const dir = await mkdtemp(join(tmpdir(), "salvor-steps-"));
    const store = await openLowdbStore({ dir });
    let appends = 0;
    const counted = new Proxy(store, {
      get(target, name) {
        if (name === "append") appends += 1;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const running = await startServer(new AppState({ store: counted }), { host: "127.0.0.1", port: 0 });
    try {
      const post = async (path: string, body: unknown, drive = "") => {
        const headers = { "x-drive-token": drive };
        const sent = { method: "POST", headers, body: JSON.stringify(body) };
        return (await (await fetch(running.url + path, sent)).json()) as Record<string, string>;
      };
      const { run, drive_token } = await post("/v1/client-runs", {});
      const event = { kind: "RunStarted", payload: STARTED };
      const steps = [
        { event: { run_id: run, seq: 0, schema_version: 1, event } },
        { model_intent: { seq: 1, request_hash: "h" } },
      ];
      const { results } = await post(`/v1/client-runs/${run}/steps`, { steps }, drive_token);
      assert.deepEqual([results?.length, appends], [2, 1]);
      await post(`/v1/client-runs/${run}/steps`, { steps }, drive_token);
      assert.equal(appends, 1);
    } finally {
      await running.close();
      await rm(dir, { recursive: true, force: true });
    }
  });

  it("sent again unchanged are answered, and written once", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const batch = [
      refunded(1),
      { event: run.envelope(3, "NowObserved", { now: "2026-01-01T00:00:00Z" }) },
      charge(4),
    ];
    const first = await send(run, ...batch);
    assert.deepEqual((await send(run, ...batch)).json, first.json);
    assert.equal((await run.log()).length, 5);
    await run.complete(4, { output: { charge: "ch_1" } });
    const later = await send(run, ...batch);
    assert.equal(later.status, 200);
    assert.deepEqual(later.json.results.slice(0, 2), first.json.results.slice(0, 2));
    assert.deepEqual(later.json.results[2], {
      ...first.json.results[2],
      settled: true,
      output: { charge: "ch_1" },
    });
    assert.equal((await run.log()).length, 6);
  });

  it("whose leading part is recorded are answered for that and applied for the rest", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    await run.complete(1, { output: RECEIPT });
    const { status, json } = await send(run, refund(1), refunded(1), charge(3));
    assert.equal(status, 200);
    assert.deepEqual([json.results[0].settled, json.results[0].output], [true, RECEIPT]);
    assert.deepEqual(json.results[1], { seq: 1, completed: true });
    assert.equal(json.results[2].settled, false);
    assert.equal((await run.log()).length, 4);
  });

  it("whose recorded part has another content are refused, the rest included", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    await run.complete(1, { output: RECEIPT });
    const other = { ...RECEIPT, refund_id: "re_2" };
    assert.deepEqual(await refusal(run, refunded(1, other), charge(3)), [409, "divergence", 0]);
    assert.deepEqual(await refusal(run, refunded(1), refund(1, { ...REFUND, amount_cents: 1 }), charge(3)), [
      409,
      "divergence",
      1,
    ]);
    const now = run.envelope(0, "NowObserved", { now: "2026-01-01T00:00:00Z" });
    assert.deepEqual(await refusal(run, { event: now }, charge(3)), [409, "divergence", 0]);
  });

  it("are refused together: nothing is written, and the error says which step it was", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const unknown = { tool_intent: { seq: 3, tool: "nobody", input: {} } };
    assert.deepEqual(await refusal(run, refunded(1), unknown), [404, "unknown_tool", 1]);
    const bad = { tool_intent: { seq: 3, tool: "charge_card", input: { cents: "5" } } };
    assert.deepEqual(await refusal(run, refunded(1), bad), [400, "bad_request", 1]);
    assert.deepEqual(await refusal(run, refunded(1), charge(4)), [409, "divergence", 1]);
    const wrong = { ...RECEIPT, amount_cents: 1 };
    assert.deepEqual(await refusal(run, refunded(1, wrong), charge(3)), [
      403,
      "client_completion_refused",
      0,
    ]);
    assert.deepEqual(await refusal(run, charge(3)), [409, "divergence", 0]);
    const model = { model_completion: { seq: 1, ...REPLY } };
    assert.deepEqual(await refusal(run, model), [409, "divergence", 0]);
    const late = { event: run.envelope(3, "RunStarted", STARTED) };
    assert.deepEqual(await refusal(run, refunded(1), late), [409, "divergence", 1]);
  });

  it("keep what a refusal's own details say", async () => {
    const run = await server.open();
    const bad = { tool_intent: { seq: 1, tool: "charge_card", input: { cents: "5" } } };
    const { json } = await send(run, bad);
    assert.match(json.error.message, /^steps\[0\]: .*input_schema/);
    assert.deepEqual(
      json.error.details.violations.map(({ path }: { path: string }) => path),
      ["$.cents"],
    );
    await run.intent(1, "refund_card", REFUND);
    const pinned = await send(run, refunded(1, { ...RECEIPT, amount_cents: 1 }));
    assert.deepEqual(pinned.json.error.details, { field: "amount_cents", step: 0 });
  });

  it("leave no refused report behind: what is refused here writes nothing at all", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const wrong = { ...RECEIPT, amount_cents: 1 };
    assert.equal((await send(run, refunded(1, wrong))).status, 403);
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.refused_reports, undefined);
    await run.complete(1, { output: wrong });
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.refused_reports.length, 1);
  });

  it("do not complete what they open: an intent is acknowledged before its effect", async () => {
    const run = await server.open();
    assert.deepEqual(await refusal(run, charge(1), charged(1)), [400, "bad_request", 1]);
    const model = [
      { model_intent: { seq: 1, request_hash: "h" } },
      { model_completion: { seq: 1, ...REPLY } },
    ];
    assert.deepEqual(await refusal(run, ...model), [400, "bad_request", 1]);
    await run.intent(1, "refund_card", REFUND);
    assert.deepEqual(await refusal(run, refunded(1), charge(3), charged(3)), [400, "bad_request", 2]);
    // Once the intent is acknowledged, the same request is a leading part that is recorded, and its rest.
    await send(run, refunded(1), charge(3));
    assert.equal((await send(run, refunded(1), charge(3), charged(3))).status, 200);
    assert.equal((await run.log()).length, 5);
  });

  it("see what the steps before them did to an identity", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    // Settled by the first step, so the second is answered with its result, and nothing is left open.
    const { json } = await send(run, refunded(1), refund(3));
    assert.deepEqual([json.results[1].settled, json.results[1].output], [true, RECEIPT]);
    const [, , , , copy] = await run.log();
    assert.deepEqual(copy.event.payload.deduplicated_from, { run_id: run.id, seq: 1 });
    assert.deepEqual(await refusal(run, refund(5), refunded(5)), [400, "bad_request", 1]);
  });

  it("free an identity and claim it again, under the same key", async () => {
    const run = await server.open();
    const first = await run.intent(1, "refund_card", REFUND);
    const failed = { tool_completion: { seq: 1, error: { message: "declined" } } };
    const { status, json } = await send(run, failed, refund(3));
    assert.equal(status, 200);
    assert.deepEqual(json.results[1], { ...first.json, seq: 3, settled: false });
    await server.restart();
    assert.equal((await run.complete(3, { output: RECEIPT })).status, 200);
    const copied = await run.intent(5, "refund_card", REFUND);
    assert.deepEqual([copied.json.settled, copied.json.output], [true, RECEIPT]);
  });

  it("survive a restart whole, with their identities", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const other = { order_id: "o-2", amount_cents: 7 };
    await send(run, refunded(1), refund(3, other));
    const log = await run.log();
    await server.restart();
    assert.deepEqual(await run.log(), log);
    await run.complete(3, { error: { message: "x" } });
    const again = await run.intent(5, "refund_card", REFUND);
    assert.deepEqual([again.json.settled, again.json.output], [true, RECEIPT]);
    assert.equal((await run.intent(7, "refund_card", other)).json.settled, false);
  });

  it("suspend, resume and go on in one request, and the input settles the call", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const suspend = { tool_completion: { seq: 1, suspend: { reason: "ask", input_schema: true } } };
    assert.deepEqual(await refusal(run, suspend, charge(4)), [409, "divergence", 1]);
    const resumed = { event: run.envelope(4, "Resumed", { input: RECEIPT }) };
    const { status, json } = await send(run, suspend, resumed, refund(5));
    assert.equal(status, 200);
    assert.deepEqual([json.results[2].settled, json.results[2].output], [true, RECEIPT]);
  });

  it("do not let a driver resume where an operator is configured", async () => {
    const own = await TestServer.start({ operatorToken: "operator" });
    try {
      const run = await own.open();
      await run.event(1, "Suspended", { reason: "ask", input_schema: true });
      const steps = { steps: [{ event: run.envelope(2, "Resumed", { input: 1 }) }] };
      const refused = await run.post("steps", steps);
      assert.deepEqual(
        [refused.status, refused.json.error.code, refused.json.error.details.step],
        [403, "operator_required", 0],
      );
      assert.equal((await run.post("steps", steps, { bearer: "operator" })).status, 200);
    } finally {
      await own.stop();
    }
  });

  it("are at most 64", async () => {
    const run = await server.open();
    const now = (seq: number) => ({
      event: run.envelope(seq, "NowObserved", { now: "2026-01-01T00:00:00Z" }),
    });
    const many = Array.from({ length: 65 }, (_, at) => now(at + 1));
    const refused = await send(run, ...many);
    assert.deepEqual([refused.status, refused.json.error.code], [400, "bad_request"]);
    assert.equal((await run.log()).length, 1);
    const { json } = await send(run, ...many.slice(0, 64));
    assert.equal(json.results.length, 64);
    assert.equal((await run.log()).length, 65);
  });

  it("may be none", async () => {
    const run = await server.open();
    assert.deepEqual((await send(run)).json, { results: [] });
  });

  it("are each exactly one of the five, with what its endpoint needs", async () => {
    const run = await server.open();
    const good = charge(1);
    assert.deepEqual(await refusal(run, good, {}), [400, "bad_request", 1]);
    assert.deepEqual(await refusal(run, { ...good, ...charged(1) }), [400, "bad_request", 0]);
    assert.deepEqual(await refusal(run, { tool_step: { seq: 1 } }), [400, "bad_request", 0]);
    for (const name of ["tool_intent", "tool_completion", "model_intent", "model_completion", "event"]) {
      for (const body of [null, 7, [], {}]) {
        assert.deepEqual(await refusal(run, good, { [name]: body }), [400, "bad_request", 1], name);
      }
    }
    for (const [name, body] of [
      ["tool_intent", { tool: "charge_card", input: { cents: 5 } }],
      ["tool_completion", { output: {} }],
      ["model_intent", { request_hash: "h" }],
      ["model_completion", REPLY],
      ["event", { ...run.envelope(1, "NowObserved", { now: "2026-01-01T00:00:00Z" }), seq: undefined }],
    ] as const) {
      const { status, json } = await send(run, { [name]: body });
      assert.deepEqual([status, json.error.details.step], [400, 0], name);
      assert.match(JSON.stringify(json.error.details.violations), /seq/, name);
    }
    for (const body of [{}, { steps: {} }, { steps: [1] }, []]) {
      assert.equal((await run.post("steps", body)).status, 400);
    }
  });

  it("append by hand what may be appended by hand", async () => {
    const run = await server.open();
    for (const [kind, payload] of [
      ["ToolCallCompleted", { seq: 1, output: 1 }],
      ["RunAbandoned", {}],
      ["SomethingElse", {}],
    ] as const) {
      assert.deepEqual(await refusal(run, { event: run.envelope(1, kind, payload) }), [
        422,
        "unsupported_event_kind",
        0,
      ]);
    }
  });

  it("keep an unsigned 64-bit integer to the last digit, and no other integer of that size", async () => {
    const run = await server.open();
    const text = (value: string, kind: string) =>
      JSON.stringify({
        steps: [{ event: run.envelope(1, kind, { value: "?", now: "2026-01-01T00:00:00Z" }) }],
      }).replace('"?"', value);
    const big = "18446744073709551615";
    const post = (raw: string) => server.call("POST", `${run.path}/steps`, { raw, drive: run.token });
    assert.equal((await post(text(big, "NowObserved"))).status, 400);
    assert.equal((await post(text(big, "RandomObserved"))).status, 200);
    assert.ok((await server.get(`${run.path}/log`)).text.includes(`"value":${big}`));
    assert.equal((await post(text(big, "RandomObserved"))).status, 200);
  });

  it("stamp events with this server's time", async () => {
    const run = await server.open();
    await send(run, { event: run.envelope(1, "NowObserved", { now: "2026-01-01T00:00:00Z" }) });
    const [, { recorded_at }] = await run.log();
    assert.ok(recorded_at > "2026-01-02");
  });

  it("record a model request's body on the terms that the run was opened with", async () => {
    const { json } = await server.post("/v1/client-runs", { record_prompts: true });
    const event = {
      run_id: json.run,
      seq: 0,
      schema_version: 1,
      event: { kind: "RunStarted", payload: STARTED },
    };
    const steps = [{ event }, { model_intent: { seq: 1, request_hash: "h", request_body: { p: 1 } } }];
    const path = `/v1/client-runs/${json.run}`;
    await server.post(`${path}/steps`, { steps }, { drive: json.drive_token as string });
    const [, intent] = (await server.get(`${path}/log`)).json.log;
    assert.deepEqual(intent.event.payload.request_body, { p: 1 });
  });

  it("sent twice at once are written once, and both are answered", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", REFUND);
    const [one, other] = await Promise.all([
      send(run, refunded(1), charge(3)),
      send(run, refunded(1), charge(3)),
    ]);
    assert.deepEqual([one.status, other.status], [200, 200]);
    assert.deepEqual(one.json, other.json);
    assert.equal((await run.log()).length, 4);
  });

  it("are their driver's alone", async () => {
    const run = await server.open();
    const refused = async (drive?: string) => {
      const answer = await server.post(
        `${run.path}/steps`,
        { steps: [charge(1)] },
        drive === undefined ? {} : { drive },
      );
      return [answer.status, answer.json.error.code];
    };
    assert.deepEqual(await refused(), [401, "missing_drive_token"]);
    assert.deepEqual(await refused("dt_0"), [403, "invalid_drive_token"]);
    await server.post("/v1/client-runs", { run_id: run.id });
    assert.deepEqual(await refused(run.token), [403, "invalid_drive_token"]);
    assert.equal((await run.log()).length, 1);
  });
});
