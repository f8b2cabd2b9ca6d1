import assert from "node:assert/strict";
import { after, before } from "node:test";
import { HandlerError, suspend } from "#salvor/index.js";
import { attemptKey, contentKey } from "#salvor/log/keys.js";
import { ClientToolRegistry, loadDeclarations } from "#salvor/declarations/index.js";
import { hostedTool, hostedTools, Paused } from "../support/hosted-tools.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { REFUND_CARD } from "../support/tools.js";
import { toolFiles } from "../support/tool-files.js";
import { is, table } from "./table.js";

const refund = (order_id: string, amount_cents = 5) => ({ order_id, amount_cents });
const receipt = (amount_cents = 5) => ({ refund_id: "r", amount_cents });
const ASK = { reason: "r", input_schema: { type: "object" } };
const paused = new Paused();
let executed: string[] = [];
const noting = (name: string, effect: "read" | "idempotent" | "write", key?: string) =>
  hostedTool(
    name,
    effect,
    (ctx) => {
      executed.push(ctx.idempotencyKey ?? "");
      return { did: name };
    },
    key === undefined ? {} : { key },
  );
const hosted = hostedTools(
  noting("look", "read"),
  noting("set", "idempotent"),
  noting("send", "write"),
  noting("pay", "write", "order"),
  hostedTool("decline", "write", () => {
    throw new HandlerError("declined");
  }),
  hostedTool("vanish", "write", () => {
    throw new Error("gone");
  }),
  hostedTool("ask", "write", () => suspend("r", ASK.input_schema)),
  hostedTool("wait", "write", paused.call),
  hostedTool("strict", "write", () => 1, { inputSchema: { type: "object", required: ["a"] } }),
);
let server: TestServer;
let bare: TestServer;
before(async () => {
  server = await TestServer.start({ hosted });
  bare = await TestServer.start();
});
after(() => Promise.all([server.stop(), bare.stop()]));

/** A run with a call of a tool open at 1. */
async function opened(tool: string, input: unknown): Promise<TestRun> {
  const run = await server.open();
  is(await run.intent(1, tool, input), 200);
  return run;
}

/** A run whose call at 1 has been reported on. */
async function settled(
  report: Readonly<Record<string, unknown>>,
  input: unknown = refund("o"),
): Promise<TestRun> {
  const run = await opened("refund_card", input);
  is(await run.complete(1, report), 200);
  return run;
}

const step = (run: TestRun, seq: number, tool: string, input: unknown = {}, more: object = {}) =>
  run.post("tool-step", { seq, tool, input, ...more });
const eventsOf = async (run: TestRun) => (await run.log()).map(({ event }) => event.kind as string);
const reports = async (run: TestRun) =>
  ((await server.get(`/v1/runs/${run.id}`)).json.refused_reports ?? []) as {
    output?: unknown;
    message: string;
  }[];
const model = (run: TestRun, seq: number, hash = "h", more: object = {}) =>
  run.post("client-model-intent", { seq, request_hash: hash, ...more });
const said = (run: TestRun, seq: number, response: unknown = "a") =>
  run.post("client-model-completion", { seq, response, usage: { input_tokens: 1, output_tokens: 2 } });

table(7, "calls", [
  [
    "7.1",
    "an effect, key or performer in an intent is ignored",
    async () => {
      const run = await server.open();
      const lie = { effect: "read", idempotency_key: "mine", performed_by: "server" };
      const { effect, idempotency_key } = is(
        await run.post("client-tool-intent", { seq: 1, tool: "charge_card", input: { cents: 1 }, ...lie }),
        200,
      );
      assert.deepEqual([effect, idempotency_key], ["write", attemptKey(run.id, 1, "charge_card")]);
      assert.equal((await run.log())[1].event.payload.performed_by, "client");
    },
  ],
  [
    "7.2",
    "the same intent at a recorded position is answered as recorded, open or settled, and nothing is written",
    async () => {
      const run = await opened("refund_card", refund("o"));
      const open = is(await run.intent(1, "refund_card", refund("o")), 200);
      assert.deepEqual([open.settled, "output" in open], [false, false]);
      await run.complete(1, { output: receipt() });
      const done = is(await run.intent(1, "refund_card", refund("o")), 200);
      assert.deepEqual(
        [done.settled, done.output, done.idempotency_key, done.effect],
        [true, receipt(), open.idempotency_key, "write"],
      );
      assert.equal((await run.log()).length, 3);
    },
  ],
  [
    "7.3",
    "whatever is declared now",
    async () => {
      const own = await TestServer.start();
      const run = await own.open();
      await run.intent(1, "charge_card", { cents: 1 });
      await own.restart({ tools: [] });
      is(await run.intent(1, "charge_card", { cents: 1 }), 200);
      is(await run.intent(1, "charge_card", { cents: 2 }), 409, "divergence");
      await own.stop();
    },
  ],
  [
    "7.4",
    "another call at a recorded position is 409 divergence",
    async () => {
      const run = await opened("refund_card", refund("o"));
      is(await run.intent(1, "refund_card", refund("o", 6)), 409, "divergence");
      is(await run.intent(1, "charge_card", { cents: 1 }), 409, "divergence");
      is(await run.intent(0, "refund_card", refund("o")), 409, "divergence");
    },
  ],
  [
    "7.5",
    "a tool that is not declared is 404 unknown_tool",
    async () => is(await (await server.open()).intent(1, "nobody", {}), 404, "unknown_tool"),
  ],
  [
    "7.6",
    "an input that does not match is 400, says input_schema, and lists all violations",
    async () => {
      const { error } = is(
        await (await server.open()).intent(1, "refund_card", { order_id: 1, amount_cents: "5" }),
        400,
        "bad_request",
        /input_schema/,
      );
      assert.equal(error.details.violations.length, 2);
    },
  ],
  [
    "7.7",
    "every key field must be an own property of the input, else 400 naming it",
    async () => {
      is(
        await (await server.open()).intent(1, "refund_card", { amount_cents: 1 }),
        400,
        "bad_request",
        /order_id/,
      );
      // No declaration is loaded that does not require its key fields: the derivation looks all the same.
      assert.throws(() => contentKey("r", "t", ["toString"], {}), /toString/);
    },
  ],
  [
    "7.8",
    "what the guard refuses is 409 divergence",
    async () =>
      is(await (await server.open()).intent(2, "charge_card", { cents: 1 }), 409, "divergence", /rule 2/),
  ],
  [
    "7.9",
    "an intent is recorded with the operator's effect, the derived key, and performed by the client",
    async () => {
      const run = await opened("refund_card", refund("o"));
      const expected = {
        seq: 1,
        tool: "refund_card",
        input: refund("o"),
        effect: "write",
        idempotency_key: contentKey(run.id, "refund_card", ["order_id"], refund("o")),
        performed_by: "client",
      };
      assert.deepEqual((await run.log())[1].event.payload, expected);
    },
  ],
  [
    "7.10",
    "nothing is written on a refusal",
    async () => {
      const run = await server.open();
      for (const [seq, tool, input] of [
        [1, "nobody", {}],
        [1, "refund_card", {}],
        [7, "charge_card", { cents: 1 }],
      ] as const)
        assert.ok((await run.intent(seq, tool, input)).status >= 400);
      assert.equal((await run.log()).length, 1);
    },
  ],
  [
    "7.11",
    "two identical intents racing are both 200, and one event",
    async () => {
      const run = await server.open();
      const [one, two] = await Promise.all([
        run.intent(1, "charge_card", { cents: 1 }),
        run.intent(1, "charge_card", { cents: 1 }),
      ]);
      assert.deepEqual(is(one, 200), is(two, 200));
      assert.equal((await run.log()).length, 2);
    },
  ],
  [
    "7.12",
    "the key of a call without declared fields is the hash of run, seq and tool: the vector",
    () => {
      assert.equal(
        attemptKey("00000000-0000-4000-8000-000000000001", 1, "charge_card"),
        "sha256:514bc81f163e3c20496a39bc47f9568b1c8c49edb3b15eabfc1d3b52b66c4158",
      );
    },
  ],
  [
    "7.13",
    "with declared fields it is the hash of run, tool and those fields, in any order",
    () => {
      const input = { b: [1], a: "x", other: 1 };
      assert.equal(
        contentKey("r", "t", ["a", "b"], input),
        contentKey("r", "t", ["b", "a"], { ...input, other: 2 }),
      );
      assert.notEqual(contentKey("r", "t", ["a", "b"], input), contentKey("s", "t", ["a", "b"], input));
    },
  ],
  [
    "7.14",
    "a declaration whose key field is called run, tool or seq is refused at load",
    async () => {
      const files = await toolFiles();
      for (const field of ["run", "tool", "seq"]) {
        const file = await files.write(
          `${field}.toml`,
          `name = "t"\neffect = "write"\nidempotency_key = ["${field}"]\n[input_schema]\ntype = "object"\n`,
        );
        assert.throws(() => loadDeclarations([file]));
        assert.throws(() => new ClientToolRegistry().declare({ ...REFUND_CARD, idempotency_key: [field] }));
      }
      await files.remove();
    },
  ],
  [
    "7.15",
    "an identity asked for again, settled: intent and copied completion are recorded as one append, and the answer is settled",
    async () => {
      const run = await settled({ output: receipt() });
      const again = is(await run.intent(3, "refund_card", refund("o")), 200);
      assert.deepEqual([again.settled, again.output], [true, receipt()]);
      const copy = (await run.log())[4].event.payload;
      assert.deepEqual(copy, { seq: 3, output: receipt(), deduplicated_from: { run_id: run.id, seq: 1 } });
    },
  ],
  [
    "7.16",
    "a copy must satisfy this intent's require_equal and output_schema, else 409 naming the holder, nothing written",
    async () => {
      const run = await settled({ output: receipt() });
      const { error } = is(await run.intent(3, "refund_card", refund("o", 6)), 409, "divergence");
      assert.deepEqual(error.details.holder, { run_id: run.id, seq: 1 });
      assert.equal((await run.log()).length, 3);
    },
  ],
  [
    "7.17",
    "still open, or suspended: 409 with the holder",
    async () => {
      const run = await settled({ suspend: ASK });
      const steps = await run.post("steps", {
        steps: [{ event: run.envelope(4, "Resumed", { input: { refund_id: "r", amount_cents: 6 } }) }],
      });
      is(steps, 200);
      const { error } = is(await run.intent(5, "refund_card", refund("o")), 409, "divergence");
      assert.deepEqual(error.details.holder, { run_id: run.id, seq: 1 });
    },
  ],
  [
    "7.18",
    "an idempotent call with a declared key is deduplicated too",
    async () => {
      const input = { customer: "c", street: "s" };
      const run = await opened("set_address", input);
      await run.complete(1, { output: { version: 1 } });
      assert.equal(is(await run.intent(3, "set_address", input), 200).settled, true);
    },
  ],
  [
    "7.19",
    "a read is never answered from an older call",
    async () => {
      const run = await opened("get_price", { sku: "a" });
      await run.complete(1, { output: { cents: 1 } });
      assert.equal(is(await run.intent(3, "get_price", { sku: "a" }), 200).settled, false);
    },
  ],
  [
    "7.20",
    "a call recorded as failed (invalid_input, handler) releases its identity: the same call, under the same key",
    async () => {
      for (const kind of ["invalid_input", "handler"]) {
        const run = await settled({ error: { message: "m", kind } });
        const again = is(await run.intent(3, "refund_card", refund("o")), 200);
        assert.deepEqual(
          [again.settled, again.idempotency_key],
          [false, (await run.log())[1].event.payload.idempotency_key],
        );
      }
    },
  ],
  [
    "7.21",
    "so does one that was not performed",
    async () => {
      const run = await opened("refund_card", refund("o"));
      is(await server.post(`/v1/runs/${run.id}/resolve`, { not_performed: true }), 200);
      assert.equal(is(await run.intent(3, "refund_card", refund("o")), 200).settled, false);
    },
  ],
  [
    "7.22",
    "claims travel inside their append: they hold after a restart",
    async () => {
      const own = await TestServer.start();
      const run = await own.open();
      await run.intent(1, "refund_card", refund("o"));
      await run.complete(1, { output: receipt() });
      await own.restart();
      assert.equal(is(await run.intent(3, "refund_card", refund("o")), 200).settled, true);
      await own.stop();
    },
  ],
  [
    "7.23",
    "a completion has exactly one of output, error and suspend",
    async () => {
      const run = await opened("refund_card", refund("o"));
      is(await run.complete(1, {}), 400, "bad_request");
      is(await run.complete(1, { output: receipt(), error: { message: "m" } }), 400, "bad_request");
      is(await run.complete(1, { error: { message: "m" }, suspend: ASK }), 400, "bad_request");
    },
  ],
  [
    "7.24",
    "a completion recorded already with the same content is recognised at any later time, with other content 409",
    async () => {
      const run = await settled({ output: receipt() });
      await run.event(3, "RunCompleted", { output: 1 });
      is(await run.complete(1, { output: receipt() }), 200);
      is(await run.complete(1, { output: { refund_id: "other", amount_cents: 5 } }), 409, "divergence");
      assert.equal((await run.log()).length, 4);
    },
  ],
  [
    "7.25",
    "the log must end at that intent",
    async () => is(await (await server.open()).complete(1, { output: 1 }), 409, "divergence"),
  ],
  [
    "7.26",
    "the client must have performed it",
    async () => {
      const run = await server.open();
      await step(run, 1, "vanish");
      is(await run.complete(1, { output: 1 }), 403, "client_completion_refused", /performed by this server/);
    },
  ],
  [
    "7.27",
    "the tool must be declared",
    async () => {
      const own = await TestServer.start();
      const run = await own.open();
      await run.intent(1, "charge_card", { cents: 1 });
      await own.restart({ tools: [] });
      is(await run.complete(1, { output: { charge: "c" } }), 404, "unknown_tool");
      await own.stop();
    },
  ],
  [
    "7.28",
    "trust_completion = false refuses, saying so and which path settles it",
    async () => {
      const run = await opened("pay_out", { iban: "a", amount_cents: 1 });
      is(
        await run.complete(1, { output: { transfer_id: "t", amount_cents: 1 } }),
        403,
        "client_completion_refused",
        new RegExp(`trust_completion = false.*/v1/runs/${run.id}/resolve`),
      );
    },
  ],
  [
    "7.29",
    "no output_schema refuses, saying so and which path, also for a failure",
    async () => {
      const run = await opened("look_up", {});
      for (const report of [{ output: 1 }, { error: { message: "m" } }])
        is(
          await run.complete(1, report),
          403,
          "client_completion_refused",
          new RegExp(`no output_schema.*/v1/runs/${run.id}/resolve`),
        );
    },
  ],
  [
    "7.30",
    "an output of a reserved shape is 400",
    async () => {
      const run = await opened("refund_card", refund("o"));
      is(await run.complete(1, { output: { __salvor_error: {} } }), 400, "bad_request");
      is(await run.complete(1, { output: { __salvor_suspend: {} } }), 400, "bad_request");
    },
  ],
  [
    "7.31",
    "an output that does not match is 400 and says output_schema",
    async () =>
      is(
        await (await opened("refund_card", refund("o"))).complete(1, { output: {} }),
        400,
        "bad_request",
        /output_schema/,
      ),
  ],
  [
    "7.32",
    "a pinned field that differs is 403, naming field, both values, require_equal and the path",
    async () => {
      const run = await opened("refund_card", refund("o", 5));
      is(
        await run.complete(1, { output: receipt(900) }),
        403,
        "client_completion_refused",
        new RegExp(
          `(?=.*amount_cents)(?=.*\\b5\\b)(?=.*900)(?=.*require_equal)(?=.*/v1/runs/${run.id}/resolve)`,
        ),
      );
    },
  ],
  [
    "7.33",
    "an error records the failure sentinel with attempts 1, of kind handler by default",
    async () => {
      const run = await settled({ error: { message: "m" } });
      assert.deepEqual((await run.log())[2].event.payload.output.__salvor_error, {
        is_error: true,
        kind: "handler",
        message: "m",
        attempts: 1,
      });
    },
  ],
  [
    "7.34",
    "output_serialization is refused for a write",
    async () => {
      is(
        await (
          await opened("refund_card", refund("o"))
        ).complete(1, { error: { message: "m", kind: "output_serialization" } }),
        400,
        "bad_request",
      );
      is(
        await (
          await opened("get_price", { sku: "a" })
        ).complete(1, { error: { message: "m", kind: "output_serialization" } }),
        200,
      );
    },
  ],
  [
    "7.35",
    "suspend records the sentinel and Suspended as one append",
    async () => {
      assert.deepEqual((await eventsOf(await settled({ suspend: ASK }))).slice(2), [
        "ToolCallCompleted",
        "Suspended",
      ]);
    },
  ],
  [
    "7.36",
    "the input given to resume becomes the call's result",
    async () => {
      const run = await settled({ suspend: ASK });
      is(await server.post(`/v1/runs/${run.id}/resume`, { input: { ok: true } }), 200);
      assert.deepEqual(is(await run.intent(1, "refund_card", refund("o")), 200).output, { ok: true });
    },
  ],
  [
    "7.37",
    "a settled failure answers a re-posted intent with settled and the sentinel",
    async () => {
      const again = is(
        await (await settled({ error: { message: "m" } })).intent(1, "refund_card", refund("o")),
        200,
      );
      assert.deepEqual([again.settled, again.output.__salvor_error.message], [true, "m"]);
    },
  ],
  [
    "7.38",
    "the last 5 refused reports of an intent are kept, with time, code, message and output; they are no events",
    async () => {
      const run = await opened("refund_card", refund("o"));
      for (let amount = 10; amount < 17; amount += 1) await run.complete(1, { output: receipt(amount) });
      const kept = await reports(run);
      assert.deepEqual(
        kept.map(({ output }) => output),
        [12, 13, 14, 15, 16].map(receipt),
      );
      assert.deepEqual(Object.keys(kept[0] as object).sort(), ["code", "message", "output", "seq", "time"]);
      assert.equal((await run.log()).length, 2);
    },
  ],
  [
    "7.39",
    "they survive a restart",
    async () => {
      const own = await TestServer.start();
      const run = await own.open();
      await run.intent(1, "refund_card", refund("o"));
      await run.complete(1, { output: receipt(6) });
      await own.restart();
      assert.equal((await own.get(`/v1/runs/${run.id}`)).json.refused_reports.length, 1);
      await own.stop();
    },
  ],
  [
    "7.40",
    "tool-step without tools is 503",
    async () => is(await step(await bare.open(), 1, "send"), 503, "tool_registry_unavailable"),
  ],
  [
    "7.41",
    "tool-step of an unknown tool is 404",
    async () => is(await step(await server.open(), 1, "nobody"), 404, "unknown_tool"),
  ],
  [
    "7.42",
    "a recorded position is looked at first: completed is replayed, another call is 409",
    async () => {
      const run = await server.open();
      executed = [];
      assert.deepEqual(is(await step(run, 1, "send"), 200), is(await step(run, 1, "send"), 200));
      assert.equal(executed.length, 1);
      is(await step(run, 1, "send", { other: 1 }), 409, "divergence");
    },
  ],
  [
    "7.43",
    "executing now: the retry joins it, and resolve and abandon answer 409 executing",
    async () => {
      const run = await server.open();
      const before = paused.calls;
      const first = step(run, 1, "wait");
      await paused.begun(before + 1);
      const second = step(run, 1, "wait");
      for (const what of ["resolve", "abandon"])
        is(await server.post(`/v1/runs/${run.id}/${what}`, { output: 1 }), 409, "wrong_state", /executing/);
      paused.end({ sent: 1 });
      assert.deepEqual(
        [is(await first, 200), is(await second, 200)],
        [{ output: { sent: 1 } }, { output: { sent: 1 } }],
      );
      assert.equal(paused.calls, before + 1);
    },
  ],
  [
    "7.44",
    "dangling read or idempotent: executed again under the recorded key",
    async () => {
      for (const [tool, effect] of [
        ["look", "read"],
        ["set", "idempotent"],
      ] as const) {
        const run = await server.open();
        const payload = { seq: 1, tool, input: {}, effect, idempotency_key: "recorded" };
        await server.record(run.id, [{ ...run.envelope(1, "ToolCallRequested", payload) } as never]);
        executed = [];
        is(await step(run, 1, tool), 200);
        assert.deepEqual(executed, ["recorded"]);
      }
    },
  ],
  [
    "7.45",
    "dangling write: 409 needs_reconciliation, also at once when its outcome is unknown",
    async () => {
      const run = await server.open();
      is(await step(run, 1, "vanish"), 409, "needs_reconciliation");
      is(await step(run, 1, "vanish"), 409, "needs_reconciliation");
    },
  ],
  [
    "7.46",
    "a new input is judged: 400, nothing written",
    async () => {
      const run = await server.open();
      is(await step(run, 1, "strict"), 400, "bad_request");
      assert.equal((await run.log()).length, 1);
    },
  ],
  [
    "7.47",
    "the key: the tool's declared one wins, a client's is recorded when none is declared and never deduplicates, else the positional hash",
    async () => {
      const run = await server.open();
      executed = [];
      await step(run, 1, "pay", { order: run.id }, { idempotency_key: "mine" });
      await step(run, 3, "send", {}, { idempotency_key: "mine" });
      await step(run, 5, "send", {}, { idempotency_key: "mine" });
      await step(run, 7, "send");
      assert.deepEqual(executed, [`pay:${run.id}`, "mine", "mine", attemptKey(run.id, 7, "send")]);
    },
  ],
  [
    "7.48",
    "the same declared identity, also in another run, is copied and not performed",
    async () => {
      const [one, two] = [await server.open(), await server.open()];
      await step(one, 1, "pay", { order: "shared" });
      executed = [];
      is(await step(two, 1, "pay", { order: "shared" }), 200);
      assert.deepEqual(
        [executed, (await two.log())[2].event.payload.deduplicated_from],
        [[], { run_id: one.id, seq: 1 }],
      );
    },
  ],
  [
    "7.49",
    "a recorded failure is 502 tool_execution, also on replay",
    async () => {
      const run = await server.open();
      is(await step(run, 1, "decline"), 502, "tool_execution");
      is(await step(run, 1, "decline"), 502, "tool_execution");
    },
  ],
  [
    "7.50",
    "a suspension is 200 {suspended}, and after Resumed 200 {output: the resume input}",
    async () => {
      const run = await server.open();
      assert.deepEqual(is(await step(run, 1, "ask"), 200), { suspended: ASK });
      is(await server.post(`/v1/runs/${run.id}/resume`, { input: { ok: 1 } }), 200);
      assert.deepEqual(is(await step(run, 1, "ask"), 200), { output: { ok: 1 } });
    },
  ],
  [
    "7.51",
    "the run's queue is not held while a tool runs: what is asked of the run meanwhile is answered",
    async () => {
      const run = await server.open();
      const before = paused.calls;
      const call = step(run, 1, "wait");
      await paused.begun(before + 1);
      is(await run.event(2, "NowObserved", { now: "2026-01-01T00:00:00Z" }), 409, "divergence");
      paused.end(1);
      is(await call, 200);
    },
  ],
  [
    "7.52",
    "a model call of a client: intent, completion, and a re-post of the settled one answers response and usage",
    async () => {
      const run = await server.open();
      assert.deepEqual(is(await model(run, 1), 200), { seq: 1, settled: false });
      assert.deepEqual(is(await said(run, 1), 200), { seq: 1, completed: true });
      assert.deepEqual(is(await model(run, 1), 200), {
        seq: 1,
        settled: true,
        response: "a",
        usage: { input_tokens: 1, output_tokens: 2 },
      });
    },
  ],
  [
    "7.53",
    "another hash or another kind there is 409",
    async () => {
      const run = await server.open();
      await model(run, 1);
      is(await model(run, 1, "other"), 409, "divergence");
      is(await model(run, 0), 409, "divergence");
      is(await run.intent(1, "charge_card", { cents: 1 }), 409, "divergence");
    },
  ],
  [
    "7.54",
    "a model call that this server performed: intent 409, completion 403",
    async () => {
      const run = await server.open();
      await server.record(run.id, [
        run.envelope(1, "ModelCallRequested", { seq: 1, request_hash: "h" }) as never,
      ]);
      is(await model(run, 1), 409, "divergence");
      is(await said(run, 1), 403, "client_completion_refused");
    },
  ],
  [
    "7.55",
    "the body is recorded only when the run was opened with record_prompts",
    async () => {
      for (const record_prompts of [true, false]) {
        const { run: id, drive_token: drive } = is(
          await server.post("/v1/client-runs", { record_prompts }),
          201,
        );
        const post = (endpoint: string, body: unknown) =>
          server.post(`/v1/client-runs/${id as string}/${endpoint}`, body, { drive });
        const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: 1 } };
        await post("events", { events: [{ run_id: id, seq: 0, schema_version: 1, event }] });
        is(await post("client-model-intent", { seq: 1, request_hash: "h", request_body: { p: 1 } }), 200);
        const { log } = (await server.get(`/v1/client-runs/${id as string}/log`)).json;
        assert.equal("request_body" in (log[1].event.payload as object), record_prompts);
      }
    },
  ],
  [
    "7.56",
    "steps takes 64 at most",
    async () => {
      const run = await server.open();
      const steps = (count: number) => ({
        steps: Array.from({ length: count }, (_, at) => ({
          event: run.envelope(1 + at, "SleepStarted", { until: "2026-01-01T00:00:00Z" }),
        })),
      });
      is(await run.post("steps", steps(65)), 400, "bad_request");
      assert.equal(is(await run.post("steps", steps(64)), 200).results.length, 64);
    },
  ],
  [
    "7.57",
    "each step is exactly one of the five, with seq",
    async () => {
      const run = await server.open();
      for (const bad of [
        {},
        { tool_intent: { tool: "charge_card", input: {} } },
        { model_intent: { seq: 1, request_hash: "h" }, event: {} },
        { other: {} },
      ])
        is(await run.post("steps", { steps: [bad] }), 400, "bad_request");
      const all = [{ model_intent: { seq: 1, request_hash: "h" } }];
      is(await run.post("steps", { steps: all }), 200);
      const rest = [
        { model_completion: { seq: 1, response: 1, usage: { input_tokens: 0, output_tokens: 0 } } },
        { event: run.envelope(3, "NowObserved", { now: "2026-01-01T00:00:00Z" }) },
        { tool_intent: { seq: 4, tool: "charge_card", input: { cents: 1 } } },
      ];
      is(await run.post("steps", { steps: rest }), 200);
      is(await run.post("steps", { steps: [{ tool_completion: { seq: 4, output: { charge: "c" } } }] }), 200);
    },
  ],
  [
    "7.58",
    "if any is refused nothing is written, and the error carries details.step",
    async () => {
      const run = await server.open();
      const steps = [
        { model_intent: { seq: 1, request_hash: "h" } },
        { model_intent: { seq: 2, request_hash: "h" } },
      ];
      assert.equal(is(await run.post("steps", { steps }), 409, "divergence").error.details.step, 1);
      assert.equal((await run.log()).length, 1);
    },
  ],
  [
    "7.59",
    "a batch whose answer was lost is sent again unchanged: the recorded leading part is answered, the rest applied",
    async () => {
      const run = await opened("charge_card", { cents: 1 });
      const first = { tool_completion: { seq: 1, output: { charge: "c" } } };
      const whole = { steps: [first, { tool_intent: { seq: 3, tool: "charge_card", input: { cents: 2 } } }] };
      is(await run.post("steps", { steps: [first] }), 200);
      const answer = is(await run.post("steps", whole), 200);
      assert.deepEqual(is(await run.post("steps", whole), 200), answer);
      assert.equal((await run.log()).length, 4);
    },
  ],
  [
    "7.60",
    "a completion for an intent opened in the same request is 400",
    async () => {
      const run = await server.open();
      const steps = [
        { tool_intent: { seq: 1, tool: "charge_card", input: { cents: 1 } } },
        { tool_completion: { seq: 1, output: { charge: "c" } } },
      ];
      assert.equal(is(await run.post("steps", { steps }), 400, "bad_request").error.details.step, 1);
    },
  ],
]);
