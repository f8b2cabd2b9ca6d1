import assert from "node:assert/strict";
import { after, before } from "node:test";
import { PAYLOAD_SCHEMAS } from "#salvor/log/event-schemas.js";
import { EVENT_KINDS, type EventKind } from "#salvor/log/events.js";
import { fold } from "#salvor/log/fold.js";
import { hostedTool, hostedTools } from "../support/hosted-tools.js";
import { TestServer } from "../support/test-server.js";
import { is, table } from "./table.js";

let server: TestServer;
before(async () => {
  const shaped = (name: string, output: unknown) => hostedTool(name, "read", () => output);
  const failure = { __salvor_error: { is_error: true, kind: "handler", message: "m", attempts: 1 } };
  const hosted = hostedTools(
    shaped("fails", failure),
    shaped("suspends", { __salvor_suspend: { reason: "r", input_schema: {} } }),
    shaped("plain", { ...failure, more: 1 }),
  );
  server = await TestServer.start({ hosted });
});
after(() => server.stop());

const ENVELOPE = ["run_id", "seq", "schema_version", "recorded_at", "event"];
const NOW = { now: "2026-01-01T00:00:00Z" };
const budget = (kind: string) => ({ budget: { kind, limit: 1 }, observed: 2 });
/** What each kind must have, and what it may have. */
const KINDS: Readonly<
  Record<EventKind, readonly [required: readonly string[], optional: readonly string[]]>
> = {
  RunStarted: [["agent_def_hash", "input"], ["labels"]],
  ModelCallRequested: [
    ["seq", "request_hash"],
    ["request_body", "performed_by"],
  ],
  ModelCallCompleted: [["seq", "response", "usage"], []],
  ToolCallRequested: [["seq", "tool", "input", "effect", "idempotency_key"], ["performed_by"]],
  ToolCallCompleted: [
    ["seq", "output"],
    ["deduplicated_from", "resolved_by"],
  ],
  NowObserved: [["now"], []],
  RandomObserved: [["value"], []],
  Suspended: [["reason", "input_schema"], []],
  Resumed: [["input"], []],
  BudgetExceeded: [["budget", "observed"], []],
  SleepStarted: [["until"], []],
  SleepCompleted: [[], []],
  RunCompleted: [["output"], []],
  RunFailed: [["error"], []],
  RunAbandoned: [[], ["reason", "unresolved_write"]],
};

table(1, "events", [
  [
    "1.1",
    "an envelope has run_id, seq, schema_version 1, recorded_at in RFC 3339 UTC and event with kind and payload",
    async () => {
      const run = await server.open();
      const [first] = await run.log();
      assert.deepEqual(Object.keys(first as object).sort(), [...ENVELOPE].sort());
      assert.deepEqual(
        [first.run_id, first.schema_version, Object.keys(first.event as object)],
        [run.id, 1, ["kind", "payload"]],
      );
      assert.match(first.recorded_at as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    },
  ],
  [
    "1.2",
    "seq counts from 0 without gaps",
    async () => {
      const run = await server.open();
      for (let seq = 1; seq < 4; seq += 1) await run.event(seq, "NowObserved", NOW);
      assert.deepEqual(
        (await run.log()).map(({ seq }) => seq as number),
        [0, 1, 2, 3],
      );
    },
  ],
  [
    "1.3",
    "recorded_at is the server's own stamp, whatever a client sends",
    async () => {
      const run = await server.open();
      const [{ recorded_at }] = await run.log();
      assert.notEqual(recorded_at, run.envelope(0, "", {}).recorded_at);
      const envelope = { ...run.envelope(1, "NowObserved", NOW), recorded_at: ["nonsense"] };
      is(await run.post("events", { events: [envelope] }), 200);
    },
  ],
  [
    "1.4",
    "there are fifteen kinds",
    () => {
      assert.deepEqual([...EVENT_KINDS].sort(), Object.keys(KINDS).sort());
    },
  ],
  [
    "1.5",
    "each kind has the payload that it must have, and may have what it may have",
    () => {
      for (const [kind, [required, optional]] of Object.entries(KINDS)) {
        const schema = PAYLOAD_SCHEMAS[kind as EventKind] as {
          required?: readonly string[];
          properties?: object;
        };
        // A 64-bit integer is no JSON number: it is read by itself.
        if (kind === "RandomObserved") continue;
        assert.deepEqual([...(schema.required ?? [])].sort(), [...required].sort(), kind);
        for (const key of optional) assert.ok(key in (schema.properties ?? {}), `${kind}.${key}`);
      }
    },
  ],
  [
    "1.6",
    "what a payload must have and lacks is refused",
    async () => {
      const run = await server.open();
      for (const kind of [
        "NowObserved",
        "RandomObserved",
        "Suspended",
        "BudgetExceeded",
        "SleepStarted",
        "RunCompleted",
        "RunFailed",
      ]) {
        is(await run.event(1, kind, {}), 400, "bad_request");
      }
    },
  ],
  [
    "1.7",
    "labels are strings by string",
    async () => {
      const run = await server.open({ started: false });
      is(
        await run.event(0, "RunStarted", { agent_def_hash: "a", input: 1, labels: { a: 1 } }),
        400,
        "bad_request",
      );
      is(await run.event(0, "RunStarted", { agent_def_hash: "a", input: 1, labels: { a: "b" } }), 200);
    },
  ],
  [
    "1.8",
    "a budget is one of tokens, cost_usd, wall_time and steps",
    async () => {
      for (const kind of ["tokens", "cost_usd", "wall_time", "steps"])
        is(await (await server.open()).event(1, "BudgetExceeded", budget(kind)), 200);
      is(await (await server.open()).event(1, "BudgetExceeded", budget("patience")), 400, "bad_request");
    },
  ],
  [
    "1.9",
    "times are RFC 3339",
    async () => {
      const run = await server.open();
      is(await run.event(1, "NowObserved", { now: "yesterday" }), 400, "bad_request");
      is(await run.event(1, "SleepStarted", { until: "tomorrow" }), 400, "bad_request");
      is(await run.event(1, "SleepStarted", { until: "2026-01-01T01:00:00+01:00" }), 200);
    },
  ],
  [
    "1.10",
    "the inner seq of an intent is its own position, that of a completion the intent's, and the completion comes next",
    async () => {
      const run = await server.open();
      await run.intent(1, "charge_card", { cents: 1 });
      await run.complete(1, { output: { charge: "c" } });
      assert.deepEqual(
        (await run.log()).slice(1).map(({ seq, event }) => [seq, event.kind, event.payload.seq]),
        [
          [1, "ToolCallRequested", 1],
          [2, "ToolCallCompleted", 1],
        ],
      );
    },
  ],
  [
    "1.11",
    "performed_by is client for a client's call, and absent for one of this server",
    async () => {
      const run = await server.open();
      await run.post("tool-step", { seq: 1, tool: "plain", input: {} });
      await run.intent(3, "charge_card", { cents: 1 });
      const by = (await run.log())
        .filter(({ event }) => event.kind === "ToolCallRequested")
        .map(({ event }) => event.payload.performed_by as unknown);
      assert.deepEqual(by, [undefined, "client"]);
    },
  ],
  [
    "1.12",
    "an unknown payload key is kept",
    async () => {
      const run = await server.open();
      await run.event(1, "NowObserved", { ...NOW, zone: "CET" });
      assert.deepEqual((await run.log())[1].event.payload, { ...NOW, zone: "CET" });
    },
  ],
  [
    "1.13",
    "an unknown kind in a stored log is shown as it is and folds to nothing",
    async () => {
      const run = await server.open();
      const event = { kind: "FromLater", payload: { a: [1] } };
      await server.record(run.id, [{ ...run.envelope(1, "", {}), event } as never]);
      assert.deepEqual((await run.log())[1].event, event);
      const { json } = await server.get(`/v1/runs/${run.id}/replay`);
      assert.deepEqual([json.status, json.next_seq], [{ state: "running" }, 2]);
    },
  ],
  [
    "1.14",
    "a missing optional key is absent",
    () => {
      const envelope = {
        run_id: "",
        seq: 0,
        schema_version: 1,
        recorded_at: "",
        event: { kind: "RunAbandoned", payload: {} },
      };
      assert.deepEqual(fold([envelope as never]).status, { state: "abandoned" });
    },
  ],
  [
    "1.15",
    "labels: 16 at most, keys of 64 bytes and values of 256, counted in UTF-8",
    async () => {
      const labelled = async (labels: object) =>
        (await server.open({ started: false })).event(0, "RunStarted", {
          agent_def_hash: "a",
          input: 1,
          labels,
        });
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ""]));
      is(await labelled(many(16)), 200);
      is(await labelled(many(17)), 400, "bad_request");
      is(await labelled({ ["é".repeat(32)]: "é".repeat(128) }), 200);
      is(await labelled({ ["é".repeat(33)]: "" }), 400, "bad_request");
      is(await labelled({ a: "é".repeat(129) }), 400, "bad_request");
    },
  ],
  [
    "1.16",
    "the failure sentinel is what a recorded failure looks like",
    async () => {
      const run = await server.open();
      await run.intent(1, "charge_card", { cents: 1 });
      await run.complete(1, { error: { message: "declined" } });
      assert.deepEqual((await run.log())[2].event.payload.output, {
        __salvor_error: { is_error: true, kind: "handler", message: "declined", attempts: 1 },
      });
    },
  ],
  [
    "1.17",
    "the suspension sentinel is what a recorded suspension looks like",
    async () => {
      const run = await server.open();
      await run.intent(1, "charge_card", { cents: 1 });
      await run.complete(1, { suspend: { reason: "r", input_schema: { type: "object" } } });
      assert.deepEqual((await run.log())[2].event.payload.output, {
        __salvor_suspend: { reason: "r", input_schema: { type: "object" } },
      });
    },
  ],
  [
    "1.18",
    "a tool whose own output has such a shape is refused, as output_serialization",
    async () => {
      for (const tool of ["fails", "suspends"]) {
        const run = await server.open();
        const { error } = is(await run.post("tool-step", { seq: 1, tool, input: {} }), 502, "tool_execution");
        assert.equal(error.details.kind, "output_serialization");
      }
    },
  ],
  [
    "1.19",
    "they are recognised only as an object with exactly that one key",
    async () => {
      const run = await server.open();
      is(await run.post("tool-step", { seq: 1, tool: "plain", input: {} }), 200);
    },
  ],
]);
