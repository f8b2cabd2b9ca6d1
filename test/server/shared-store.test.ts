import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { EventStream } from "../support/event-stream.js";
import { withClient } from "../support/postgres-store.js";
import { TestPostgres } from "../support/postgres.js";
import { SharedServer, type Answer, type SharedRun } from "../support/shared-servers.js";
import { BANK_PAYOUT, REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";

let postgres: TestPostgres;
let files: ToolFiles;
let url: string;
let args: readonly string[];
let one: SharedServer;
let two: SharedServer;

before(async () => {
  postgres = await TestPostgres.start();
  files = await toolFiles();
  args = [
    ...["--client-tool", await files.write("refund-card.toml", REFUND_CARD)],
    ...["--client-tool", await files.write("bank-payout.toml", BANK_PAYOUT)],
  ];
  url = await postgres.createDatabase();
  // Both at once: one of them makes the tables, and the other waits for it.
  [one, two] = await Promise.all([SharedServer.start(url, { args }), SharedServer.start(url, { args })]);
});
after(async () => {
  // A server that did not start is not there.
  for (const server of [one, two] as (SharedServer | undefined)[]) await server?.process.stop();
  await Promise.all([postgres.stop(), files.remove()]);
});

const REFUND = { order_id: "o-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re-1", amount_cents: 500 };

async function begun(): Promise<SharedRun> {
  const run = await one.open();
  assert.equal((await run.started(one)).status, 200);
  return run;
}

function kinds(log: readonly { readonly event: { readonly kind: string } }[]): readonly string[] {
  return log.map(({ event }) => event.kind);
}

describe("two servers on one database", () => {
  it("drive the same run by turns, with one token", async () => {
    const run = await begun();
    for (let seq = 1; seq < 9; seq += 2) {
      const input = { ...REFUND, order_id: `o-${seq}` };
      const opened = await run.intent(seq % 4 === 1 ? one : two, seq, "refund_card", input);
      assert.deepEqual([opened.status, opened.json.settled], [200, false]);
      assert.equal((await run.complete(seq % 4 === 1 ? two : one, seq, RECEIPT)).status, 200);
    }
    assert.deepEqual(await run.log(one), await run.log(two));
    assert.equal((await run.log(one)).length, 9);
  });

  it("answer two identical intents that race alike, and record one", async () => {
    const run = await begun();
    for (let seq = 1; seq < 20; seq += 2) {
      const input = { ...REFUND, order_id: `race-${seq}` };
      const answers = await Promise.all(
        [one, two, one, two].map((server) => run.intent(server, seq, "refund_card", input)),
      );
      for (const { status, json } of answers) {
        assert.deepEqual([status, json], [200, answers[0]?.json]);
      }
      const reports = await Promise.all([two, one, two].map((server) => run.complete(server, seq, RECEIPT)));
      for (const { status, json } of reports)
        assert.deepEqual([status, json], [200, { seq, completed: true }]);
    }
    const log = await run.log(two);
    assert.deepEqual(
      log.map(({ seq }: { seq: number }) => seq),
      Array.from({ length: 21 }, (_, seq) => seq),
    );
    const intents = kinds(log).filter((kind) => kind === "ToolCallRequested");
    assert.equal(intents.length, 10);
  });

  it("let one of two different reports that race through, and keep the other as refused", async () => {
    const run = await begun();
    await run.intent(one, 1, "refund_card", REFUND);
    const reports = await Promise.all([
      run.complete(one, 1, RECEIPT),
      run.complete(two, 1, { ...RECEIPT, refund_id: "re-2" }),
    ]);
    assert.deepEqual(reports.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(reports.find(({ status }) => status === 409)?.json.error.code, "divergence");
    const log = await run.log(one);
    assert.equal(log.length, 3);
    const { json } = await two.get(`/v1/runs/${run.id}`);
    assert.equal(json.refused_reports.length, 1);
    assert.notEqual(json.refused_reports[0].output.refund_id, log[2].event.payload.output.refund_id);
  });

  it("refuse a call whose identity is held, wherever it was claimed, and copy its answer once it is settled", async () => {
    const run = await begun();
    await run.intent(one, 1, "refund_card", REFUND);
    await run.post(one, "client-tool-completion", { seq: 1, error: { message: "declined" } });
    // Failed, so free again: of two positions only one can be next, and of two servers only one is first.
    assert.equal((await run.intent(two, 3, "refund_card", REFUND)).json.settled, false);
    await run.complete(one, 3, RECEIPT);
    const again = await run.intent(two, 5, "refund_card", REFUND);
    assert.deepEqual([again.status, again.json.settled, again.json.output], [200, true, RECEIPT]);
    const [, , , , , , copy] = await run.log(one);
    assert.deepEqual(copy.event.payload.deduplicated_from, { run_id: run.id, seq: 3 });
  });

  it("fence a driver whose run was taken over at the other server, also one whose request is under way", async () => {
    const run = await begun();
    const id = run.id;
    let answers: Promise<Answer>[] = [];
    let taken: SharedRun | undefined;
    // The request of the old driver has passed every check and waits for the run when the lease changes.
    await withClient(url, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT 1 FROM salvor.runs WHERE run = $1 FOR UPDATE", [id]);
      answers = [run.intent(one, 1, "refund_card", REFUND)];
      await waitingFor(client, 1);
      const takeover = two.open(id);
      await waitingFor(client, 2);
      // Whoever takes it over is first: the row's lock goes to the one who holds it here.
      await client.query("UPDATE salvor.runs SET lease = 'of somebody else' WHERE run = $1", [id]);
      await client.query("COMMIT");
      taken = await takeover;
    });
    const [late] = await Promise.all(answers);
    assert.deepEqual([late?.status, late?.json.error.code], [403, "invalid_drive_token"]);
    assert.deepEqual(kinds(await run.log(two)), ["RunStarted"]);
    assert.equal((await taken?.intent(one, 1, "refund_card", REFUND))?.status, 200);
    const stale = await run.complete(two, 1, RECEIPT);
    assert.deepEqual([stale.status, stale.json.error.code], [403, "invalid_drive_token"]);
  });

  it("decide once when a person settles at one server and abandons at the other", async () => {
    for (let round = 0; round < 5; round += 1) {
      const run = await begun();
      await run.intent(one, 1, "bank_payout", { iban: "DE1", amount_cents: 5 });
      const [resolved, abandoned] = await Promise.all([
        one.post(`/v1/runs/${run.id}/resolve`, { seq: 1, output: { payout_id: "p-1" } }),
        two.post(`/v1/runs/${run.id}/abandon`, { seq: 1 }),
      ]);
      assert.deepEqual([resolved.status, abandoned.status].sort(), [200, 409]);
      const log = kinds(await run.log(one));
      assert.deepEqual(log.slice(0, 2), ["RunStarted", "ToolCallRequested"]);
      assert.equal(log.length, 3);
      assert.equal(log[2], resolved.status === 200 ? "ToolCallCompleted" : "RunAbandoned");
    }
  });

  it("resume a parked run once, whichever is asked first", async () => {
    const run = await begun();
    await run.event(one, 1, "Suspended", { reason: "ask", input_schema: true });
    const answers = await Promise.all(
      [one, two].map((server) => server.post(`/v1/runs/${run.id}/resume`, { input: "yes" })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await run.log(two)).length, 3);
  });

  it("stream what the other one records, at once and in order", async () => {
    const run = await begun();
    const stream = await EventStream.open(`${two.url}/v1/runs/${run.id}/events?follow=1`);
    assert.equal((await stream.nextEvent())?.id, 0);
    for (let seq = 1; seq <= 30; seq += 1) {
      await run.event(seq % 3 === 0 ? two : one, seq, "NowObserved", { now: "2026-01-01T00:00:00Z" });
      if (seq % 10 === 0)
        for (let read = seq - 9; read <= seq; read += 1) assert.equal((await stream.nextEvent())?.id, read);
    }
    await run.event(one, 31, "RunCompleted", { output: null });
    assert.equal((await stream.nextEvent())?.id, 31);
    assert.equal((await stream.nextEvent())?.event, "end");
  });

  it("tell each other whose drivers were seen, so that a healthy write waits for nobody at either", async () => {
    const run = await begun();
    await run.intent(one, 1, "refund_card", REFUND);
    const seen = async (): Promise<unknown> => (await two.get(`/v1/runs/${run.id}`)).json.driver;
    while ((await seen()) !== "attached") await new Promise((soon) => setTimeout(soon, 20));
    const { json } = await two.get("/v1/runs?group=waiting");
    assert.ok(json.runs.every((each: { run: string }) => each.run !== run.id));
  });

  it("list the same runs in the same order, page by page", async () => {
    const whole = (await one.get("/v1/runs")).json.runs as { run: string }[];
    assert.ok(whole.length > 5);
    const paged: { run: string }[] = [];
    let next: string | undefined;
    let turn = 0;
    do {
      const server = turn++ % 2 === 0 ? two : one;
      const { json } = await server.get(`/v1/runs?limit=2${next === undefined ? "" : `&after=${next}`}`);
      paged.push(...json.runs);
      next = json.next;
    } while (next !== undefined);
    assert.deepEqual(
      paged.map(({ run }) => run),
      whole.map(({ run }) => run),
    );
  });

  it("go on without the one that is restarted, and with it when it is back", async () => {
    const run = await begun();
    await run.intent(two, 1, "refund_card", REFUND);
    await two.process.kill();
    assert.equal((await run.complete(one, 1, RECEIPT)).status, 200);
    two = await SharedServer.start(url, { args });
    assert.equal((await run.event(two, 3, "RunCompleted", { output: randomUUID() })).status, 200);
    assert.deepEqual(await run.log(one), await run.log(two));
  });
});

/** Waits until so many transactions wait for a lock. */
async function waitingFor(
  client: { query: (text: string) => Promise<{ rows: unknown[] }> },
  count: number,
): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (rows.length >= count) return;
  }
}
