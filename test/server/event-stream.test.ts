import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { EventStream } from "../support/event-stream.js";
import { TestServer, type TestRun } from "../support/test-server.js";

const NOW = { now: "2026-01-01T00:00:00Z" };
const BUDGET = { budget: { kind: "tokens", limit: 5 }, observed: 6 };

void describe("the event stream", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ keepAliveMs: 20 });
  });
  after(() => server.stop());

  function open(run: TestRun, query = "", headers: Record<string, string> = {}, on = server) {
    return EventStream.open(`${on.url}/v1/runs/${run.id}/events${query}`, headers);
  }

  /** A run of three events that has ended. */
  async function ended(): Promise<TestRun> {
    const run = await server.open();
    await run.event(1, "NowObserved", NOW);
    await run.event(2, "RunCompleted", { output: { ok: true } });
    return run;
  }

  it("sends each event under its position and an end, in exactly these bytes", async () => {
    const run = await ended();
    const response = await fetch(`${server.url}/v1/runs/${run.id}/events`);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.equal(response.headers.get("cache-control"), "no-store");
    const log = await run.log();
    const frames = log.map((envelope, seq) => `id: ${seq}\ndata: ${JSON.stringify(envelope)}\n\n`);
    const end = 'event: end\ndata: {"status":{"state":"completed","output":{"ok":true}}}\n\n';
    assert.equal(await response.text(), frames.join("") + end);
  });

  it("keeps every event on one line, and an unsigned 64-bit integer to the last digit", async () => {
    const run = await server.open();
    const payload = { agent_def_hash: "a", text: "\r\n\n\u2028data: x\n\nid: 9", now: NOW.now };
    await run.event(1, "NowObserved", payload);
    const big = "18446744073709551615";
    const raw = JSON.stringify({ events: [run.envelope(2, "RandomObserved", { value: "?" })] }).replace(
      '"?"',
      big,
    );
    await server.call("POST", `${run.path}/events`, { raw, drive: run.token });
    await run.event(3, "RunFailed", { error: "x" });
    const text = await (await fetch(`${server.url}/v1/runs/${run.id}/events`)).text();
    assert.ok(!text.includes("\r"));
    assert.equal(text.split("\n\n").length, 6);
    assert.ok(text.includes(`"value":${big}`));
    const { seqs } = await (await open(run)).rest();
    assert.deepEqual(seqs, [0, 1, 2, 3]);
  });

  it("begins at from_seq, also where nothing is yet", async () => {
    const run = await ended();
    for (const [from, expected] of [
      [0, [0, 1, 2]],
      [2, [2]],
      [3, []],
      [99, []],
    ] as const) {
      assert.deepEqual((await (await open(run, `?from_seq=${from}`)).rest()).seqs, expected);
    }
    const live = await server.open();
    const stream = await open(live, "?from_seq=2");
    await live.event(1, "NowObserved", NOW);
    await live.event(2, "RunFailed", { error: "x" });
    assert.deepEqual((await stream.rest()).seqs, [2]);
  });

  it("goes on behind Last-Event-ID, which wins over from_seq", async () => {
    const run = await ended();
    for (const [last, query, expected] of [
      ["0", "", [1, 2]],
      ["1", "?from_seq=0", [2]],
      ["0", "?from_seq=2", [1, 2]],
      ["2", "?from_seq=0", []],
      ["99", "", []],
    ] as const) {
      assert.deepEqual((await (await open(run, query, { "last-event-id": last })).rest()).seqs, expected);
    }
  });

  it("refuses what is no position and no flag", async () => {
    const run = await ended();
    const path = `/v1/runs/${run.id}/events`;
    for (const query of ["?from_seq=-1", "?from_seq=x", "?from_seq=1&from_seq=2", "?follow=maybe"]) {
      const { status, json } = await server.get(path + query);
      assert.deepEqual([status, json.error.code], [400, "bad_request"], query);
    }
    for (const last of ["x", "-1", "1.5"]) {
      const { status } = await server.get(path, { headers: { "last-event-id": last } });
      assert.equal(status, 400, last);
    }
  });

  it("is of a run that there is: none that nobody opened, or that has no event yet", async () => {
    const opened = await server.open({ started: false });
    for (const run of [randomUUID(), opened.id]) {
      const { status, json } = await server.get(`/v1/runs/${run}/events`);
      assert.deepEqual([status, json.error.code], [404, "unknown_run"]);
    }
    assert.equal((await server.get("/v1/runs/nonsense/events")).status, 400);
  });

  it("is a client's to read, and needs no drive token", async () => {
    const own = await TestServer.start({ clientToken: "client" });
    try {
      const run = await own.open({ bearer: "client" });
      await run.event(1, "RunFailed", { error: "x" });
      assert.equal((await own.get(`/v1/runs/${run.id}/events`)).status, 401);
      const stream = await open(run, "", { authorization: "Bearer client" }, own);
      assert.deepEqual((await stream.rest()).seqs, [0, 1]);
    } finally {
      await own.stop();
    }
  });

  for (const [state, rest] of [
    ["completed", (run: TestRun) => run.event(1, "RunCompleted", { output: 1 })],
    ["failed", (run: TestRun) => run.event(1, "RunFailed", { error: "x" })],
    ["abandoned", (run: TestRun) => server.post(`/v1/runs/${run.id}/abandon`, {})],
    ["suspended", (run: TestRun) => run.event(1, "Suspended", { reason: "ask", input_schema: true })],
    ["budget_exceeded", (run: TestRun) => run.event(1, "BudgetExceeded", BUDGET)],
    ["needs_reconciliation", (run: TestRun) => run.intent(1, "charge_card", { cents: 5 })],
  ] as const) {
    it(`ends when the run rests, ${state}, and says so, although a driver is attached`, async () => {
      const run = await server.open();
      const stream = await open(run);
      assert.equal((await rest(run)).status, 200);
      const { seqs, end } = await stream.rest();
      const { status } = (await server.get(`/v1/runs/${run.id}`)).json;
      assert.equal(status.state, state);
      assert.deepEqual({ seqs, end }, { seqs: [0, 1], end: { status } });
      // And for one who comes later.
      assert.deepEqual(await (await open(run)).rest(), { seqs, end });
    });
  }

  it("passes states in which the run rested earlier", async () => {
    const run = await server.open();
    await run.intent(1, "charge_card", { cents: 5 });
    await run.complete(1, { output: { charge: "ch_1" } });
    await run.event(3, "Suspended", { reason: "ask", input_schema: true });
    await run.event(4, "Resumed", { input: 1 });
    await run.event(5, "RunFailed", { error: "x" });
    assert.deepEqual((await (await open(run)).rest()).seqs, [0, 1, 2, 3, 4, 5]);
  });

  it("with follow ends only when the run does", async () => {
    const run = await server.open();
    const stream = await open(run, "?follow=1");
    await run.intent(1, "charge_card", { cents: 5 });
    for (const seq of [0, 1]) assert.equal((await stream.nextEvent())?.id, seq);
    assert.match((await stream.next())?.text ?? "", /^: keep-alive/);
    await run.complete(1, { output: { charge: "ch_1" } });
    await run.event(3, "Suspended", { reason: "ask", input_schema: true });
    for (const seq of [2, 3]) assert.equal((await stream.nextEvent())?.id, seq);
    await server.post(`/v1/runs/${run.id}/resume`, { seq: 3, input: 1 });
    await run.event(5, "RunCompleted", { output: null });
    const { seqs, end } = await stream.rest();
    assert.deepEqual([seqs, end], [[4, 5], { status: { state: "completed", output: null } }]);
  });

  it("sends each event while a driver is attached, as soon as it is durable", async () => {
    const run = await server.open();
    const stream = await open(run);
    assert.equal((await stream.nextEvent())?.id, 0);
    for (let seq = 1; seq < 10; seq += 1) {
      await run.event(seq, "NowObserved", NOW);
      assert.equal((await stream.nextEvent())?.id, seq);
    }
    await run.event(10, "RunFailed", { error: "x" });
    assert.deepEqual((await stream.rest()).seqs, [10]);
  });

  it("neither loses nor doubles an event, whenever it is opened", async () => {
    const run = await server.open();
    const streams: Promise<{ readonly seqs: readonly number[] }>[] = [];
    for (let seq = 1; seq < 120; seq += 1) {
      if (seq % 3 === 0) streams.push(open(run).then((stream) => stream.rest()));
      await run.event(seq, "NowObserved", NOW);
    }
    await run.event(120, "RunFailed", { error: "x" });
    const expected = Array.from({ length: 121 }, (_, seq) => seq);
    for (const { seqs } of await Promise.all(streams)) assert.deepEqual(seqs, expected);
  });

  it("says that it lives", async () => {
    const run = await server.open();
    const stream = await open(run, "?from_seq=1");
    for (let count = 0; count < 3; count += 1) assert.equal((await stream.next())?.text, ": keep-alive");
    stream.leave();
  });

  it("ends as detached when nobody drives the run, which a restart forgets", async () => {
    const run = await server.open();
    await server.restart();
    const detached = { seqs: [0], end: { status: { state: "running" }, detached: true } };
    assert.deepEqual(await (await open(run)).rest(), detached);
    // Whoever drives again is followed again.
    await run.event(1, "NowObserved", NOW);
    const stream = await open(run);
    await run.event(2, "RunFailed", { error: "x" });
    assert.deepEqual((await stream.rest()).seqs, [0, 1, 2]);
  });

  it("ends as detached once the driver has been away for too long, but not with follow", async () => {
    const own = await TestServer.start({ leaseTtlMs: 40, keepAliveMs: 10 });
    try {
      const run = await own.open();
      const following = await open(run, "?follow=1", {}, own);
      const { end } = await (await open(run, "", {}, own)).rest();
      assert.deepEqual(end, { status: { state: "running" }, detached: true });
      assert.equal((await following.nextEvent())?.id, 0);
      assert.equal((await following.next())?.text, ": keep-alive");
      // A lapsed lease still drives.
      await run.event(1, "RunFailed", { error: "x" });
      const rest = await following.rest();
      assert.deepEqual([rest.seqs, rest.end], [[1], { status: { state: "failed", error: "x" } }]);
    } finally {
      await own.stop();
    }
  });

  it("is ended by a server that stops, without an end frame, and is taken up again where it was", async () => {
    const run = await server.open();
    const stream = await open(run, "?follow=1");
    assert.equal((await stream.nextEvent())?.id, 0);
    const rest = stream.rest();
    await server.restart();
    assert.deepEqual(await rest, { seqs: [], end: undefined });
    await run.event(1, "RunFailed", { error: "x" });
    assert.deepEqual((await (await open(run, "", { "last-event-id": "0" })).rest()).seqs, [1]);
  });

  it("answers HEAD without a stream", async () => {
    const run = await server.open();
    const response = await fetch(`${server.url}/v1/runs/${run.id}/events`, { method: "HEAD" });
    assert.deepEqual([response.status, await response.text()], [200, ""]);
  });
});
