import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HandlerError, suspend, type DynTool } from "#salvor/index.js";
import { attemptKey } from "#salvor/log/keys.js";
import { hostedTool, hostedTools, type HostedShape } from "../support/hosted-tools.js";
import { TestServer, type TestRun } from "../support/test-server.js";

const order: HostedShape = {
  key: "order",
  inputSchema: {
    type: "object",
    required: ["order"],
    properties: { order: { type: "string" }, cents: { type: "integer" } },
  },
};

describe("tool-step", () => {
  /** What was executed, with the key that it was executed under. */
  const executed: (readonly [tool: string, key: string | undefined])[] = [];
  const noting = (name: string, effect: "read" | "idempotent" | "write", shape?: HostedShape): DynTool =>
    hostedTool(
      name,
      effect,
      (ctx, input) => {
        executed.push([name, ctx.idempotencyKey]);
        return { did: name, input };
      },
      shape,
    );
  const tools = hostedTools(
    noting("look", "read", { inputSchema: order.inputSchema! }),
    noting("set", "idempotent"),
    noting("pay", "write", order),
    noting("send", "write"),
    noting("keyless", "write", { key: "order" }),
    hostedTool(
      "decline",
      "write",
      () => {
        throw new HandlerError("the provider declined");
      },
      order,
    ),
    hostedTool("break", "write", () => {
      throw new Error("connection reset");
    }),
    hostedTool("undefine", "read", () => undefined),
    hostedTool("ask", "read", () => suspend("approve?", { type: "object", required: ["ok"] })),
  );
  let server: TestServer;
  let run: TestRun;
  before(async () => (server = await TestServer.start({ hosted: tools })));
  after(() => server.stop());

  const step = (seq: number, tool: string, input: unknown = {}, more: object = {}, of = run) =>
    of.post("tool-step", { seq, tool, input, ...more });

  it("records the intent, performs the tool, records its end, and answers the output; again, it answers the log", async () => {
    run = await server.open();
    executed.length = 0;
    const first = await step(1, "send", { to: "a" });
    assert.deepEqual([first.status, first.json], [200, { output: { did: "send", input: { to: "a" } } }]);
    const log = await run.log();
    assert.deepEqual(
      log.slice(1).map(({ event }) => event),
      [
        {
          kind: "ToolCallRequested",
          // Without `performed_by`: this server performed it.
          payload: {
            seq: 1,
            tool: "send",
            input: { to: "a" },
            effect: "write",
            idempotency_key: attemptKey(run.id, 1, "send"),
          },
        },
        { kind: "ToolCallCompleted", payload: { seq: 1, output: { did: "send", input: { to: "a" } } } },
      ],
    );
    assert.deepEqual((await step(1, "send", { to: "a" })).json, first.json);
    assert.deepEqual(executed, [["send", attemptKey(run.id, 1, "send")]]);
    assert.equal((await run.log()).length, 3);
  });

  it("is answered 409 divergence at a position that holds another call, another input, a client's call or no call", async () => {
    run = await server.open();
    await step(1, "send", { to: "a" });
    await run.intent(3, "charge_card", { cents: 5 });
    for (const [seq, tool, input] of [
      [0, "send", {}],
      [1, "set", { to: "a" }],
      [1, "send", { to: "b" }],
      [2, "send", { to: "a" }],
      [3, "charge_card", { cents: 5 }],
      [5, "send", {}],
      [4, "send", {}],
    ] as const) {
      const { status, json } = await step(seq, tool, input);
      assert.deepEqual([status, json.error.code], [409, "divergence"], `${seq} ${tool}`);
    }
    assert.equal((await run.log()).length, 4);
    assert.deepEqual((await run.intent(1, "send", { to: "a" })).json.error.code, "divergence");
  });

  it("refuses what may not be performed, and writes nothing", async () => {
    run = await server.open();
    for (const [body, status, code, message] of [
      [{ seq: 1, tool: "nobody", input: {} }, 404, "unknown_tool", /nobody/],
      [{ seq: 1, tool: "charge_card", input: { cents: 5 } }, 404, "unknown_tool", /charge_card/],
      [{ seq: 1, tool: "pay", input: { cents: "5" } }, 400, "bad_request", /input_schema of pay/],
      [{ seq: 1, tool: "keyless", input: { other: 1 } }, 400, "bad_request", /keyless.*order/],
      [{ seq: 1, tool: "send" }, 400, "bad_request", /input/],
      [{ seq: 1, tool: "send", input: {}, idempotency_key: "" }, 400, "bad_request", /idempotency_key/],
      [{ seq: -1, tool: "send", input: {} }, 400, "bad_request", /seq/],
    ] as const) {
      const answer = await run.post("tool-step", body);
      assert.deepEqual([answer.status, answer.json.error.code], [status, code], answer.text);
      assert.match(answer.text, message);
    }
    const { details } = (await step(1, "pay", { cents: "5" })).json.error;
    assert.deepEqual(details.violations.map(({ path }: { path: string }) => path).sort(), ["$", "$.cents"]);
    assert.equal((await run.log()).length, 1);
    const closed = await server.open({ started: false });
    assert.deepEqual((await step(0, "send", {}, {}, closed)).json.error.code, "divergence");
  });

  it("asks for the drive token, which a re-opening ends", async () => {
    run = await server.open();
    const path = `/v1/client-runs/${run.id}/tool-step`;
    const body = { seq: 1, tool: "send", input: {} };
    assert.equal((await server.post(path, body)).json.error.code, "missing_drive_token");
    await server.post("/v1/client-runs", { run_id: run.id });
    assert.equal((await step(1, "send")).json.error.code, "invalid_drive_token");
  });

  it("records a client's own key only when the tool declares none, and never answers from another call for it", async () => {
    run = await server.open();
    executed.length = 0;
    await step(1, "pay", { order: "A1" }, { idempotency_key: "mine" });
    await step(3, "set", {}, { idempotency_key: "pay:A1" });
    await step(5, "set", {}, { idempotency_key: "pay:A1" });
    await step(7, "set", {});
    assert.deepEqual(executed, [
      ["pay", "pay:A1"],
      ["set", "pay:A1"],
      ["set", "pay:A1"],
      ["set", attemptKey(run.id, 7, "set")],
    ]);
    const keys = (await run.log()).flatMap(({ event }) => event.payload.idempotency_key ?? []);
    assert.deepEqual(keys, ["pay:A1", "pay:A1", "pay:A1", attemptKey(run.id, 7, "set")]);
    assert.deepEqual(await server.store.lookupCall("pay:A1"), { run_id: run.id, seq: 1, settled: true });
  });

  it("copies the answer of the same call, also of another run, and performs it once", async () => {
    run = await server.open();
    executed.length = 0;
    const other = await server.open();
    const first = await step(1, "pay", { order: "B1" });
    const again = await step(1, "pay", { order: "B1" }, {}, other);
    assert.deepEqual([again.status, again.json], [200, first.json]);
    const log = await other.log();
    assert.deepEqual(log[2].event.payload.deduplicated_from, { run_id: run.id, seq: 1 });
    assert.equal(log[1].event.payload.idempotency_key, "pay:B1");
    assert.equal(executed.length, 1);
    assert.deepEqual((await step(1, "pay", { order: "B1" }, {}, other)).json, first.json);
    const collision = await step(3, "pay", { order: "B1", cents: 9 }, {}, other);
    assert.deepEqual([collision.status, collision.json.error.code], [409, "divergence"]);
    assert.deepEqual(collision.json.error.details.holder, { run_id: run.id, seq: 1 });
    assert.equal((await other.log()).length, 3);
  });

  it("tells the driver of one run nothing of what another run's call was asked with", async () => {
    run = await server.open();
    const other = await server.open();
    await step(1, "pay", { order: "B2", iban: "another-run's-secret" });
    const { status, json, text } = await step(1, "pay", { order: "B2", iban: "own" }, {}, other);
    assert.deepEqual([status, json.error.code], [409, "divergence"]);
    assert.deepEqual(json.error.details, { holder: { run_id: run.id, seq: 1 } });
    assert.match(json.error.message as string, new RegExp(`pay:B2 belongs to call 1 of run ${run.id}`));
    assert.ok(!text.includes("secret"), text);
  });

  it("answers a recorded failure 502, also on replay, and lets the same call be asked for again under its key", async () => {
    run = await server.open();
    const failed = await step(1, "decline", { order: "C1" });
    assert.deepEqual([failed.status, failed.json.error.code], [502, "tool_execution"]);
    assert.match(failed.json.error.message, /the provider declined/);
    assert.deepEqual(failed.json.error.details, { seq: 1, tool: "decline", kind: "handler", attempts: 1 });
    assert.deepEqual((await step(1, "decline", { order: "C1" })).json, failed.json);
    assert.equal((await step(3, "decline", { order: "C1" })).status, 502);
    const sentinel = (await run.log())[2].event.payload.output.__salvor_error;
    assert.deepEqual(sentinel, {
      is_error: true,
      kind: "handler",
      message: "the provider declined",
      attempts: 1,
    });
    const unfit = await step(5, "undefine");
    assert.deepEqual([unfit.status, unfit.json.error.details.kind], [502, "output_serialization"]);
  });

  it("answers a write of unknown outcome 409 with its intent, again too, until a person settles it", async () => {
    run = await server.open();
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await step(1, "break", { x: 1 });
      assert.deepEqual([status, json.error.code], [409, "needs_reconciliation"]);
      const { recorded_at, ...intent } = json.error.details.intent;
      assert.deepEqual(intent, {
        kind: "tool",
        seq: 1,
        tool: "break",
        input: { x: 1 },
        effect: "write",
        idempotency_key: attemptKey(run.id, 1, "break"),
      });
      assert.equal(recorded_at, (await run.log())[1].recorded_at);
    }
    const report = await run.complete(1, { output: { faked: true } });
    assert.deepEqual([report.status, report.json.error.code], [403, "client_completion_refused"]);
    await server.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: { paid: true } });
    assert.deepEqual((await step(1, "break", { x: 1 })).json, { output: { paid: true } });
  });

  it("answers a suspension 200, also on replay, and what the run was resumed with after that", async () => {
    run = await server.open();
    const suspended = {
      suspended: { reason: "approve?", input_schema: { type: "object", required: ["ok"] } },
    };
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await step(1, "ask");
      assert.deepEqual([status, json], [200, suspended]);
    }
    assert.deepEqual(
      (await run.log()).map(({ event }) => event.kind),
      ["RunStarted", "ToolCallRequested", "ToolCallCompleted", "Suspended"],
    );
    await server.post(`/v1/runs/${run.id}/resume`, { seq: 3, input: { ok: true } });
    assert.deepEqual((await step(1, "ask")).json, { output: { ok: true } });
    assert.equal((await step(5, "ask")).json.suspended.reason, "approve?");
    await run.event(8, "RunFailed", { error: "nobody approved" });
    assert.deepEqual((await step(5, "ask")).json, suspended);
    assert.equal((await step(9, "send")).json.error.code, "divergence");
  });

  it("is said to be there", async () => {
    assert.equal((await server.get("/v1/capabilities")).json.capabilities.hosted_tools, true);
  });

  it("lets no name be a client tool's and a hosted one's", async () => {
    const hosted = hostedTools(hostedTool("charge_card", "write", () => 1));
    await assert.rejects(TestServer.start({ hosted }), /charge_card.*client tool/);
  });
});

describe("a server without tools", () => {
  let server: TestServer;
  before(
    async () =>
      (server = await TestServer.start({
        hosted: hostedTools(
          hostedTool("send", "write", () => "sent"),
          hostedTool("look", "read", () => "seen"),
        ),
      })),
  );
  after(() => server.stop());

  it("answers 503 tool_registry_unavailable and writes nothing, but answers what is recorded", async () => {
    const run = await server.open();
    await run.post("tool-step", { seq: 1, tool: "send", input: {} });
    await server.restart({});
    assert.equal((await server.get("/v1/capabilities")).json.capabilities.hosted_tools, false);
    assert.deepEqual((await run.post("tool-step", { seq: 1, tool: "send", input: {} })).json, {
      output: "sent",
    });
    const { status, json } = await run.post("tool-step", { seq: 3, tool: "send", input: {} });
    assert.deepEqual([status, json.error.code], [503, "tool_registry_unavailable"]);
    assert.match(json.error.message, /--tools/);
    assert.equal((await run.log()).length, 3);
  });
});
