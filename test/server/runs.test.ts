import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer } from "../support/test-server.js";

const REFUND = { order_id: "o-1", amount_cents: 500 };

void describe("reading a run", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  it("answers its status, counts, times, usage and what is pending, and nothing else", async () => {
    const run = await server.open();
    const intent = await run.intent(1, "refund_card", REFUND);
    const { status, json } = await server.get(`/v1/runs/${run.id.toUpperCase()}`);
    assert.equal(status, 200);
    const log = await run.log();
    assert.deepEqual(json, {
      run: run.id,
      status: { state: "needs_reconciliation" },
      event_count: 2,
      first_recorded_at: log[0].recorded_at,
      last_recorded_at: log[1].recorded_at,
      usage: { input_tokens: 0, output_tokens: 0 },
      pending: {
        kind: "tool",
        seq: 1,
        tool: "refund_card",
        input: REFUND,
        effect: "write",
        idempotency_key: intent.json.idempotency_key,
      },
      driver: "attached",
    });
  });

  it("omits the driver of a run that has ended", async () => {
    const run = await server.open();
    await run.event(1, "RunCompleted", { output: { done: true } });
    const { json } = await server.get(`/v1/runs/${run.id}`);
    assert.deepEqual(json.status, { state: "completed", output: { done: true } });
    assert.equal(json.pending, null);
    assert.ok(!Object.hasOwn(json as object, "driver"));
  });

  it("shows a driver that was not seen within its lease as none, and lets it drive on", async () => {
    const own = await TestServer.start({ leaseTtlMs: 0 });
    try {
      const run = await own.open();
      assert.equal((await own.get(`/v1/runs/${run.id}`)).json.driver, "none");
      assert.equal((await run.intent(1, "charge_card", { cents: 1 })).status, 200);
    } finally {
      await own.stop();
    }
  });

  it("of an id that is none is a bad request, of an unknown one unknown_run", async () => {
    assert.equal((await server.get("/v1/runs/7")).json.error.code, "bad_request");
    assert.equal(
      (await server.get("/v1/runs/00000000-0000-4000-8000-00000000ffff")).json.error.code,
      "unknown_run",
    );
  });
});

void describe("the list of runs", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ leaseTtlMs: 0 });
  });
  after(() => server.stop());

  it("shows each run oldest first, filters by status and group, and pages with a cursor", async () => {
    const running = await server.open();
    const done = await server.open();
    await done.event(1, "RunCompleted", { output: 1 });
    const write = await server.open();
    await write.intent(1, "charge_card", { cents: 1 });
    const read = await server.open();
    await read.intent(1, "get_price", { sku: "a" });
    const unclosable = await server.open();
    await unclosable.intent(1, "look_up", { q: "a" });
    const parked = await server.open();
    await parked.event(1, "Suspended", { reason: "r", input_schema: {} });

    const ids = async (query: string): Promise<string[]> => {
      const { status, json } = await server.get(`/v1/runs${query}`);
      assert.equal(status, 200);
      return json.runs.map((listed: { run: string }) => listed.run);
    };
    const all = [running, done, write, read, unclosable, parked].map(({ id }) => id);
    assert.deepEqual((await ids("")).sort(), [...all].sort());
    const times = (await server.get("/v1/runs")).json.runs.map(
      (listed: { first_recorded_at: string }) => listed.first_recorded_at,
    );
    assert.deepEqual(times, [...times].sort());

    assert.deepEqual(await ids("?status=completed"), [done.id]);
    assert.deepEqual(await ids("?group=terminal"), [done.id]);
    assert.deepEqual((await ids("?group=waiting")).sort(), [write.id, unclosable.id, parked.id].sort());
    assert.deepEqual((await ids("?group=progress")).sort(), [running.id, read.id].sort());

    const paged: string[] = [];
    let query = "?limit=4";
    for (;;) {
      const { json } = await server.get(`/v1/runs${query}`);
      paged.push(...json.runs.map((listed: { run: string }) => listed.run));
      if (json.next === undefined) break;
      query = `?limit=4&after=${encodeURIComponent(json.next as string)}`;
    }
    assert.deepEqual(paged, await ids(""));
  });

  it("shows what a list item has, labels where there are some", async () => {
    const run = await server.open({ started: false });
    await run.event(0, "RunStarted", { agent_def_hash: "sha256:a", input: 1, labels: { team: "desk" } });
    const { json } = await server.get("/v1/runs");
    const item = json.runs.find((listed: { run: string }) => listed.run === run.id);
    const [started] = await run.log();
    assert.deepEqual(item, {
      run: run.id,
      status: { state: "running" },
      event_count: 1,
      first_recorded_at: started.recorded_at,
      last_recorded_at: started.recorded_at,
      usage: { input_tokens: 0, output_tokens: 0 },
      step_count: 0,
      agent_def_hash: "sha256:a",
      labels: { team: "desk" },
      driver: "none",
    });
  });

  for (const query of [
    "status=nope",
    "group=nope",
    "limit=0",
    "limit=-1",
    "limit=x",
    "after=nope",
    "status=running&status=failed",
  ]) {
    it(`refuses ?${query}`, async () => {
      const { status, json } = await server.get(`/v1/runs?${query}`);
      assert.equal(status, 400);
      assert.equal(json.error.code, "bad_request");
    });
  }
});

void describe("a healthy write in flight", () => {
  it("does not wait for a person while its driver is attached, and does once a report was refused", async () => {
    const server = await TestServer.start();
    try {
      const run = await server.open();
      await run.intent(1, "refund_card", REFUND);
      assert.deepEqual((await server.get("/v1/runs?group=waiting")).json.runs, []);
      assert.equal((await server.get("/v1/runs?group=progress")).json.runs.length, 1);
      await run.complete(1, { output: { amount_cents: 500 } });
      assert.equal((await server.get("/v1/runs?group=waiting")).json.runs.length, 1);
      await run.complete(1, { output: { refund_id: "r", amount_cents: 500 } });
      assert.deepEqual((await server.get("/v1/runs?group=waiting")).json.runs, []);
    } finally {
      await server.stop();
    }
  });
});
