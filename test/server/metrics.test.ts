import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestServer } from "../support/test-server.js";
import { EventStream } from "../support/event-stream.js";

/** The samples of an exposition, by name and labels. */
async function scrape(server: TestServer, bearer?: string): Promise<ReadonlyMap<string, number>> {
  const { status, text, headers } = await server.get("/metrics", bearer === undefined ? {} : { bearer });
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

void describe("metrics", () => {
  let server: TestServer;
  let now = new Date("2026-01-01T00:00:00Z");
  before(async () => {
    server = await TestServer.start({ now: () => now });
  });
  after(() => server.stop());

  it("count intents by tool and effect, completions by result, model calls, and refusals by code", async () => {
    const run = await server.open();
    await run.intent(1, "refund_card", { order_id: "o-1", amount_cents: 5 });
    await run.complete(1, { output: { refund_id: "r", amount_cents: 7 } });
    await run.complete(1, { output: { refund_id: "r", amount_cents: 5 } });
    await run.intent(3, "refund_card", { order_id: "o-1", amount_cents: 5 });
    await run.intent(5, "charge_card", { cents: 1 });
    await run.complete(5, { error: { message: "declined" } });
    await run.intent(7, "charge_card", { cents: 1 });
    await server.post(`/v1/runs/${run.id}/resolve`, { seq: 7, not_performed: true });
    await run.post("client-model-intent", { seq: 9, request_hash: "h" });
    await run.post("client-model-completion", {
      seq: 9,
      response: "hi",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    await run.intent(11, "get_price", { sku: "s" });
    await run.complete(11, { suspend: { reason: "wait", input_schema: true } });
    await run.intent(14, "not_declared_and_much_too_interesting", {});

    const samples = await scrape(server);
    assert.equal(samples.get('salvor_intents_total{tool="refund_card",effect="write"}'), 2);
    assert.equal(samples.get('salvor_intents_total{tool="charge_card",effect="write"}'), 2);
    assert.equal(samples.get('salvor_intents_total{tool="get_price",effect="read"}'), 1);
    for (const [result, count] of Object.entries({
      completed: 1,
      copied: 1,
      failed: 1,
      not_performed: 1,
      suspended: 1,
    }))
      assert.equal(samples.get(`salvor_completions_total{result="${result}"}`), count, result);
    assert.equal(samples.get("salvor_model_intents_total"), 1);
    assert.equal(samples.get("salvor_model_completions_total"), 1);
    assert.equal(samples.get('salvor_refusals_total{code="client_completion_refused"}'), 1);
    assert.equal(samples.get('salvor_refusals_total{code="unknown_tool"}'), 1);
    assert.ok([...samples.keys()].every((name) => !name.includes("interesting")));
    assert.ok(samples.has("process_cpu_seconds_total"));
  });

  it("time every append, and count them in bins that add up", async () => {
    const samples = await scrape(server);
    const count = samples.get("salvor_append_duration_seconds_count") ?? 0;
    assert.ok(count >= 12);
    assert.equal(samples.get('salvor_append_duration_seconds_bucket{le="+Inf"}'), count);
    assert.ok((samples.get("salvor_append_duration_seconds_sum") ?? 0) > 0);
    const bins = [...samples].filter(([name]) => name.startsWith("salvor_append_duration_seconds_bucket"));
    assert.deepEqual(
      bins.map(([, value]) => value),
      bins.map(([, value]) => value).sort((a, b) => a - b),
    );
  });

  it("know how many writes are open and how old the oldest is, also after a restart", async () => {
    const open = async () => {
      const samples = await scrape(server);
      return [samples.get("salvor_open_writes"), samples.get("salvor_oldest_open_write_age_seconds")];
    };
    assert.deepEqual(await open(), [0, 0]);
    const older = await server.open();
    await older.intent(1, "charge_card", { cents: 1 });
    now = new Date(now.getTime() + 60_000);
    const newer = await server.open();
    await newer.intent(1, "charge_card", { cents: 1 });
    now = new Date(now.getTime() + 5_000);
    assert.deepEqual(await open(), [2, 65]);
    await server.restart();
    assert.deepEqual(await open(), [2, 65]);
    await older.complete(1, { output: { charge: "c" } });
    assert.deepEqual(await open(), [1, 5]);
    await newer.post("steps", {
      steps: [
        { tool_completion: { seq: 1, output: { charge: "c" } } },
        { tool_intent: { seq: 3, tool: "charge_card", input: { cents: 2 } } },
      ],
    });
    assert.deepEqual(await open(), [1, 0]);
    await server.post(`/v1/runs/${newer.id}/abandon`, {});
    assert.deepEqual(await open(), [0, 0]);
  });

  it("count the streams that are open", async () => {
    const run = await server.open();
    const stream = await EventStream.open(`${server.url}/v1/runs/${run.id}/events?follow=1`);
    await stream.next();
    assert.equal((await scrape(server)).get("salvor_stream_subscribers"), 1);
    await run.event(1, "RunFailed", { error: "e" });
    await stream.rest();
    while ((await scrape(server)).get("salvor_stream_subscribers") !== 0);
  });

  it("are a client's and the operator's to read, where tokens are configured", async () => {
    const own = await TestServer.start({ clientToken: "client-secret", operatorToken: "operator-secret" });
    try {
      assert.equal((await own.get("/metrics")).status, 401);
      await scrape(own, "client-secret");
      assert.equal(
        (await scrape(own, "operator-secret")).get('salvor_refusals_total{code="unauthorized"}'),
        1,
      );
    } finally {
      await own.stop();
    }
  });
});
