import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer } from "../support/test-server.js";

const ID = "0A0B0C0D-0000-4000-8000-000000000001";

void describe("opening a client run", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  it("afresh answers 201, an id, a token and an empty log", async () => {
    const { status, json } = await server.post("/v1/client-runs", { agent: "desk", input: { any: [1] } });
    assert.equal(status, 201);
    assert.match(json.run as string, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(json.drive_token as string, /^dt_[0-9a-f]{32}$/);
    assert.deepEqual(json.log, []);
  });

  it("takes an id in any case and prints it lower-case", async () => {
    const { status, json } = await server.post("/v1/client-runs", { run_id: ID });
    assert.equal(status, 201);
    assert.equal(json.run, ID.toLowerCase());
    assert.equal((await server.post("/v1/client-runs", { run_id: ID.toLowerCase() })).status, 200);
  });

  for (const run_id of ["x", "", null, 7, "0a0b0c0d000040008000000000000001", `{${ID}}`, `${ID} `]) {
    it(`refuses ${JSON.stringify(run_id)} as an id`, async () => {
      const { status, json } = await server.post("/v1/client-runs", { run_id });
      assert.equal(status, 400);
      assert.equal(json.error.code, "bad_request");
    });
  }

  it("again answers 200, the log and a fresh token, and the old token stops working", async () => {
    const run = await server.open();
    const { status, json } = await server.post("/v1/client-runs", { run_id: run.id });
    assert.equal(status, 200);
    assert.equal(json.log.length, 1);
    assert.notEqual(json.drive_token, run.token);
    assert.equal((await run.intent(1, "charge_card", { cents: 1 })).json.error.code, "invalid_drive_token");
    const drive = json.drive_token as string;
    const intent = { seq: 1, tool: "charge_card", input: { cents: 1 } };
    assert.equal((await server.post(`${run.path}/client-tool-intent`, intent, { drive })).status, 200);
  });

  it("leaves a driver whose server was started again driving with its token", async () => {
    const own = await TestServer.start();
    try {
      const run = await own.open();
      await own.restart();
      assert.equal((await run.intent(1, "charge_card", { cents: 1 })).status, 200);
    } finally {
      await own.stop();
    }
  });

  it("keeps a run without an event out of every read under /v1/runs", async () => {
    const run = await server.open({ started: false });
    assert.equal((await server.get(`/v1/runs/${run.id}`)).json.error.code, "unknown_run");
    const { json } = await server.get("/v1/runs");
    assert.ok(!json.runs.some((listed: { run: string }) => listed.run === run.id));
    assert.deepEqual((await server.get(`${run.path}/log`)).json, { log: [] });
  });
});

void describe("a run's log", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  it("is read from a position on", async () => {
    const run = await server.open();
    await run.event(1, "NowObserved", { now: "2026-01-01T00:00:00Z" });
    const { json } = await server.get(`${run.path}/log?from_seq=1`);
    assert.deepEqual(
      json.log.map((envelope: { seq: number }) => envelope.seq),
      [1],
    );
    assert.deepEqual((await server.get(`${run.path}/log?from_seq=99`)).json, { log: [] });
  });

  for (const query of ["from_seq=-1", "from_seq=x", "from_seq=1.5", "from_seq=", "from_seq=1&from_seq=2"]) {
    it(`refuses ?${query}`, async () => {
      const run = await server.open();
      assert.equal((await server.get(`${run.path}/log?${query}`)).json.error.code, "bad_request");
    });
  }

  it("of an unknown run is unknown_run", async () => {
    const { status, json } = await server.get("/v1/client-runs/00000000-0000-4000-8000-00000000ffff/log");
    assert.equal(status, 404);
    assert.equal(json.error.code, "unknown_run");
  });
});

void describe("a generic append", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  it("takes every kind that a client may append, stamps it itself and keeps unknown payload keys", async () => {
    const run = await server.open();
    const events = [
      ["NowObserved", { now: "2026-01-01T00:00:00.5Z", extra: [null] }],
      ["RandomObserved", { value: 7 }],
      ["SleepStarted", { until: "2026-01-01T00:00:00+01:00" }],
      ["SleepCompleted", {}],
      ["Suspended", { reason: "r", input_schema: { type: "object" } }],
      ["Resumed", { input: null }],
      ["BudgetExceeded", { budget: { kind: "cost_usd", limit: 1.5 }, observed: 2 }],
      ["Resumed", { input: { extend: {} } }],
      ["RunFailed", { error: "x" }],
    ] as const;
    const envelopes = events.map(([kind, payload], at) => run.envelope(at + 1, kind, payload));
    const { status, json } = await run.post("events", { events: envelopes });
    assert.equal(status, 200);
    assert.deepEqual(json, { appended: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
    const log = await run.log();
    for (const [at, envelope] of envelopes.entries()) {
      assert.deepEqual(log[at + 1].event, envelope.event);
      assert.notEqual(log[at + 1].recorded_at, envelope.recorded_at);
    }
  });

  it("keeps every digit of an unsigned 64-bit integer, in the log, after a restart and when it is sent again", async () => {
    const own = await TestServer.start();
    try {
      const run = await own.open();
      const envelope = (value: string) =>
        `{"events":[{"run_id":"${run.id}","seq":1,"schema_version":1,"event":{"kind":"RandomObserved","payload":{"value":${value}}}}]}`;
      const send = (value: string) =>
        own.call("POST", `${run.path}/events`, { raw: envelope(value), drive: run.token });
      for (const bad of ["18446744073709551616", "-1", "1.5", '"1"', "1e30"])
        assert.equal((await send(bad)).status, 400, bad);
      assert.equal((await send("18446744073709551615")).status, 200);
      assert.equal((await send("18446744073709551615")).status, 200);
      assert.equal((await send("18446744073709551614")).json.error.code, "divergence");
      await own.restart();
      assert.match((await own.get(`${run.path}/log`)).text, /"value":18446744073709551615\}/);
      assert.equal((await send("18446744073709551615")).status, 200);
    } finally {
      await own.stop();
    }
  });

  it("refuses such an integer anywhere else", async () => {
    const run = await server.open();
    const raw = `{"events":[{"run_id":"${run.id}","seq":1,"schema_version":1,"event":{"kind":"NowObserved","payload":{"now":"2026-01-01T00:00:00Z","value":9007199254740993}}}]}`;
    const answer = await server.call("POST", `${run.path}/events`, { raw, drive: run.token });
    assert.equal(answer.json.error.code, "bad_request");
  });

  for (const kind of [
    "ModelCallRequested",
    "ModelCallCompleted",
    "ToolCallRequested",
    "ToolCallCompleted",
    "RunAbandoned",
    "Nope",
  ]) {
    it(`does not take ${kind}`, async () => {
      const run = await server.open();
      const { status, json } = await run.event(1, kind, { seq: 1 });
      assert.equal(status, 422);
      assert.equal(json.error.code, "unsupported_event_kind");
    });
  }

  it("recognises an event that is recorded, whatever its recorded_at, and still reports its position", async () => {
    const run = await server.open();
    const sent = [
      run.envelope(0, "RunStarted", { input: {}, agent_def_hash: "sha256:agent" }),
      run.envelope(1, "SleepStarted", { until: "2026-01-01T00:00:00Z" }),
    ];
    assert.deepEqual((await run.post("events", { events: sent })).json, { appended: [0, 1] });
    assert.deepEqual((await run.post("events", { events: sent })).json, { appended: [0, 1] });
    assert.equal((await run.log()).length, 2);
  });

  it("of a different event at a recorded position is a divergence", async () => {
    const run = await server.open();
    const { status, json } = await run.event(0, "RunStarted", { input: {}, agent_def_hash: "sha256:other" });
    assert.equal(status, 409);
    assert.equal(json.error.code, "divergence");
  });

  it("writes all or nothing", async () => {
    const run = await server.open();
    const events = [
      run.envelope(1, "SleepStarted", { until: "2026-01-01T00:00:00Z" }),
      run.envelope(3, "SleepCompleted", {}),
    ];
    const { status, json } = await run.post("events", { events });
    assert.equal(status, 409);
    assert.match(json.error.message as string, /rule 2/);
    assert.equal((await run.log()).length, 1);
  });

  for (const [rule, seq, kind, payload, more] of [
    [1, 1, "RunFailed", { error: "x" }, { schema_version: 2 }],
    [2, 2, "RunFailed", { error: "x" }, {}],
    [4, 1, "RunFailed", { error: "x" }, { run_id: "00000000-0000-4000-8000-00000000ffff" }],
    [5, 1, "RunStarted", { agent_def_hash: "a", input: 1 }, {}],
    [10, 1, "SleepCompleted", {}, {}],
    [11, 1, "Resumed", { input: 1 }, {}],
  ] as const) {
    it(`is held to rule ${rule}`, async () => {
      const run = await server.open();
      const { status, json } = await run.post("events", {
        events: [{ ...run.envelope(seq, kind, payload), ...more }],
      });
      assert.equal(status, 409);
      assert.equal(json.error.code, "divergence");
      assert.match(json.error.message as string, new RegExp(`rule ${rule} `));
      assert.equal(json.error.details.rule, rule);
    });
  }

  it("after the end of the run is refused", async () => {
    const run = await server.open();
    await run.event(1, "RunCompleted", { output: 1 });
    assert.match((await run.event(2, "RunFailed", { error: "x" })).json.error.message as string, /rule 6/);
  });

  for (const [what, payload] of [
    ["no agent_def_hash", { input: 1 }],
    ["no input", { agent_def_hash: "a" }],
    ["null labels", { agent_def_hash: "a", input: 1, labels: null }],
    ["a label that is no text", { agent_def_hash: "a", input: 1, labels: { a: 1 } }],
    [
      "seventeen labels",
      {
        agent_def_hash: "a",
        input: 1,
        labels: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`l${at}`, ""])),
      },
    ],
    ["a label key over 64 bytes", { agent_def_hash: "a", input: 1, labels: { ["é".repeat(33)]: "" } }],
    ["a label value over 256 bytes", { agent_def_hash: "a", input: 1, labels: { a: "é".repeat(129) } }],
  ] as const) {
    it(`refuses RunStarted with ${what}`, async () => {
      const run = await server.open({ started: false });
      const { status, json } = await run.event(0, "RunStarted", payload);
      assert.equal(status, 400);
      assert.ok(json.error.details.violations[0].path.startsWith("$"));
    });
  }

  it("takes labels up to their bounds", async () => {
    const run = await server.open({ started: false });
    const labels = Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [`${"k".repeat(62)}${at + 10}`, "é".repeat(128)]),
    );
    assert.equal((await run.event(0, "RunStarted", { agent_def_hash: "a", input: 1, labels })).status, 200);
  });

  it("takes 1024 events and not one more", async () => {
    const run = await server.open();
    const now = { now: "2026-01-01T00:00:00Z" };
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => run.envelope(at + 1, "NowObserved", now));
    assert.equal((await run.post("events", { events: many(1025) })).json.error.code, "bad_request");
    assert.equal((await run.post("events", { events: many(1024) })).status, 200);
  });
});
