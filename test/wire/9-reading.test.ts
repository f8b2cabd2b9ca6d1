import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before } from "node:test";
import { envelopeOf } from "#salvor/log/events.js";
import { AppState, createApp } from "#salvor/server/index.js";
import { EventStream } from "../support/event-stream.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { is, table } from "./table.js";

const NOW = { now: "2026-01-01T00:00:00Z" };
let time = Date.parse("2026-01-01T00:00:00Z");
let server: TestServer;
before(async () => (server = await TestServer.start({ now: () => new Date(time), keepAliveMs: 50 })));
after(() => server.stop());

interface Listed {
  readonly run: string;
  readonly status: { readonly state: string };
}
const list = async (query = "") =>
  is(await server.get(`/v1/runs${query}`), 200) as { runs: Listed[]; next?: string };
const waits = async (run: TestRun) =>
  (await list("?group=waiting")).runs.some(({ run: id }) => id === run.id);
/** Nobody has been heard of: when a driver was last seen does not survive the server. */
const leave = () => server.restart();
const stream = (run: TestRun, query = "", headers = {}) =>
  EventStream.open(`${server.url}/v1/runs/${run.id}/events${query}`, headers);

async function opened(tool: string, input: unknown): Promise<TestRun> {
  const run = await server.open();
  is(await run.intent(1, tool, input), 200);
  return run;
}
async function ended(): Promise<TestRun> {
  const run = await server.open();
  is(await run.event(1, "RunCompleted", { output: 1 }), 200);
  return run;
}
async function suspended(): Promise<TestRun> {
  const run = await server.open();
  is(await run.event(1, "Suspended", { reason: "r", input_schema: {} }), 200);
  return run;
}

table(9, "reading", [
  [
    "9.1",
    "a listed run has exactly these fields; labels and driver only when there are any",
    async () => {
      const { id } = await server.open();
      const found = (await list()).runs.find(({ run }) => run === id);
      assert.deepEqual(Object.keys(found ?? {}).sort(), [
        "agent_def_hash",
        "driver",
        "event_count",
        "first_recorded_at",
        "last_recorded_at",
        "run",
        "status",
        "step_count",
        "usage",
      ]);
    },
  ],
  [
    "9.2",
    "oldest first, and every run when no limit is given",
    async () => {
      const ids: string[] = [];
      for (let at = 0; at < 3; at += 1) {
        time += 1000;
        ids.push((await server.open()).id);
      }
      assert.deepEqual(
        (await list()).runs.slice(-3).map(({ run }) => run),
        ids,
      );
    },
  ],
  [
    "9.3",
    "limit and after page through it, by the cursor that is answered as next",
    async () => {
      const all = (await list()).runs.map(({ run }) => run);
      const paged: string[] = [];
      let after = "";
      do {
        const { runs, next } = await list(`?limit=2${after}`);
        assert.ok(runs.length <= 2);
        paged.push(...runs.map(({ run }) => run));
        after = next === undefined ? "" : `&after=${encodeURIComponent(next)}`;
      } while (after !== "");
      assert.deepEqual(paged, all);
    },
  ],
  [
    "9.4",
    "status filters by state",
    async () => {
      const { id } = await ended();
      const { runs } = await list("?status=completed");
      assert.ok(
        runs.some(({ run }) => run === id) && runs.every(({ status }) => status.state === "completed"),
      );
    },
  ],
  [
    "9.5",
    "group is waiting, progress or terminal, and each run is in one of them",
    async () => {
      await suspended();
      const groups = await Promise.all(
        ["waiting", "progress", "terminal"].map((group) => list(`?group=${group}`)),
      );
      assert.deepEqual(
        groups.flatMap(({ runs }) => runs.map(({ run }) => run)).sort(),
        (await list()).runs.map(({ run }) => run).sort(),
      );
      is(await server.get("/v1/runs?group=everybody"), 400, "bad_request");
    },
  ],
  [
    "9.6",
    "suspended is waiting",
    async () => {
      assert.ok(await waits(await suspended()));
    },
  ],
  [
    "9.7",
    "over budget is waiting",
    async () => {
      const run = await server.open();
      await run.event(1, "BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 });
      assert.ok(await waits(run));
    },
  ],
  [
    "9.8",
    "an open call that was refused a report is waiting, with its driver there",
    async () => {
      const run = await opened("refund_card", { order_id: "a", amount_cents: 1 });
      assert.ok(!(await waits(run)));
      await run.complete(1, { output: { refund_id: "r", amount_cents: 2 } });
      assert.ok(await waits(run));
    },
  ],
  [
    "9.9",
    "an open call that no client may close is waiting once its driver is gone",
    async () => {
      const run = await opened("look_up", {});
      assert.ok(!(await waits(run)));
      await leave();
      assert.ok(await waits(run));
    },
  ],
  [
    "9.10",
    "an open write without an attached driver is waiting; another open call is not",
    async () => {
      const [write, read] = [
        await opened("charge_card", { cents: 1 }),
        await opened("get_price", { sku: "a" }),
      ];
      await leave();
      assert.deepEqual([await waits(write), await waits(read)], [true, false]);
    },
  ],
  [
    "9.11",
    "a healthy write is not waiting, although it folds to needs_reconciliation",
    async () => {
      const run = await opened("charge_card", { cents: 1 });
      assert.ok(!(await waits(run)));
      assert.equal((await server.get(`/v1/runs/${run.id}`)).json.status.state, "needs_reconciliation");
    },
  ],
  [
    "9.12",
    "a run has run, status, event_count, times, usage, pending, driver and refused_reports, and nothing else",
    async () => {
      const run = await opened("refund_card", { order_id: "a", amount_cents: 1 });
      const fields = [
        "driver",
        "event_count",
        "first_recorded_at",
        "last_recorded_at",
        "pending",
        "run",
        "status",
        "usage",
      ];
      const shown = async () => Object.keys((await server.get(`/v1/runs/${run.id}`)).json as object).sort();
      assert.deepEqual(await shown(), fields);
      await run.complete(1, { output: { refund_id: "r", amount_cents: 2 } });
      assert.deepEqual(await shown(), [...fields, "refused_reports"].sort());
    },
  ],
  [
    "9.13",
    "replay is status, usage, next_seq and pending",
    async () => {
      const { id } = await server.open();
      assert.deepEqual(is(await server.get(`/v1/runs/${id}/replay`), 200), {
        status: { state: "running" },
        usage: { input_tokens: 0, output_tokens: 0 },
        next_seq: 1,
        pending: null,
      });
    },
  ],
  [
    "9.14",
    "a frame is id and data in LF, without an event",
    async () => {
      const run = await ended();
      const [first] = await run.log();
      const events = await stream(run);
      assert.equal((await events.nextEvent())?.text, `id: 0\ndata: ${JSON.stringify(first)}`);
      events.leave();
    },
  ],
  [
    "9.15",
    "it says that it lives by comments",
    async () => {
      const events = await stream(await server.open(), "?from_seq=1");
      assert.equal((await events.next())?.text, ": keep-alive");
      events.leave();
    },
  ],
  [
    "9.16",
    "Last-Event-ID, plus one, wins over from_seq",
    async () => {
      const run = await ended();
      assert.deepEqual((await (await stream(run, "?from_seq=0", { "last-event-id": "0" })).rest()).seqs, [1]);
      assert.deepEqual((await (await stream(run, "?from_seq=1")).rest()).seqs, [1]);
    },
  ],
  [
    "9.17",
    "at a resting status one last end frame with it, and close",
    async () => {
      const over = await server.open();
      await over.event(1, "BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 });
      for (const run of [await ended(), await suspended(), over, await opened("charge_card", { cents: 1 })]) {
        const { status } = (await server.get(`/v1/runs/${run.id}`)).json;
        assert.deepEqual(await (await stream(run)).rest(), { seqs: [0, 1], end: { status } });
      }
    },
  ],
  [
    "9.18",
    "with follow only a terminal ends it",
    async () => {
      const run = await suspended();
      const events = await stream(run, "?follow=1&from_seq=2");
      await server.post(`/v1/runs/${run.id}/resume`, { input: 1 });
      await run.event(3, "RunCompleted", { output: 1 });
      assert.deepEqual((await events.rest()).seqs, [2, 3]);
    },
  ],
  [
    "9.19",
    "while a driver is attached it tails",
    async () => {
      const run = await server.open();
      const events = await stream(run, "?from_seq=1");
      await run.event(1, "NowObserved", NOW);
      assert.equal((await events.nextEvent())?.id, 1);
      events.leave();
    },
  ],
  [
    "9.20",
    "when none is, end with detached",
    async () => {
      const run = await server.open();
      await leave();
      assert.deepEqual(await (await stream(run)).rest(), {
        seqs: [0],
        end: { status: { state: "running" }, detached: true },
      });
    },
  ],
  [
    "9.21",
    "but not with follow",
    async () => {
      const run = await server.open();
      await leave();
      const events = await stream(run, "?follow=1&from_seq=1");
      await run.event(1, "NowObserved", NOW);
      assert.equal((await events.nextEvent())?.id, 1);
      events.leave();
    },
  ],
  [
    "9.22",
    "a reader who takes nothing never slows a writer",
    async () => {
      const run = await server.open();
      const events = await stream(run, "?follow=1");
      for (let at = 0; at < 20; at += 1)
        is(await run.event(1 + at, "NowObserved", { ...NOW, note: "x".repeat(100_000) }), 200);
      events.leave();
    },
  ],
  [
    "9.23",
    "and is bounded in memory: what waits for it does not grow with what is written, and it misses nothing",
    async () => {
      const run = await server.open();
      const answers: ServerResponse[] = [];
      const handle = createApp(new AppState({ store: server.store })).callback();
      const http = createServer((request, response) => {
        answers.push(response);
        void handle(request, response);
      });
      http.listen(0, "127.0.0.1");
      await once(http, "listening");
      try {
        const { port } = http.address() as AddressInfo;
        const path = `/v1/runs/${run.id}/events?follow=1`;
        const asked = get({ port, host: "127.0.0.1", path, agent: false });
        const [reader] = (await once(asked, "response")) as [IncomingMessage];
        reader.pause();
        const note = "x".repeat(1_000_000);
        const count = 32;
        for (let seq = 1; seq <= count; seq += 1) {
          is(await run.event(seq, "NowObserved", { ...NOW, note }), 200);
          const waiting = answers[0]?.writableLength ?? 0;
          assert.ok(waiting < 4 * note.length, `${waiting} bytes wait`);
        }
        is(await run.event(count + 1, "RunFailed", { error: "e" }), 200);
        let text = "";
        for await (const chunk of reader.setEncoding("utf8")) text += chunk as string;
        assert.deepEqual(
          [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq)),
          Array.from({ length: count + 2 }, (_, seq) => seq),
        );
      } finally {
        http.closeAllConnections();
        http.close();
      }
    },
  ],
  [
    "9.24",
    "a run whose log cannot be read keeps only its id, count and times, plus unreadable, and never fails the list",
    async () => {
      const own = await TestServer.start();
      try {
        const [damaged, whole] = [await own.open(), await own.open()];
        for (const run of [damaged, whole]) is(await run.event(1, "NowObserved", NOW), 200);
        await own.close();
        const file = join(own.dir, "runs", damaged.id.slice(0, 2), `${damaged.id}.json`);
        await writeFile(file, (await readFile(file, "utf8")).replace("2026-01-01", "2026-01-02"));
        await own.restart();
        for (const query of ["", "?limit=1", "?group=waiting", "?group=progress"]) {
          const { runs } = is(await own.get(`/v1/runs${query}`), 200) as { runs: Listed[] };
          for (const found of runs.filter(({ run }) => run === damaged.id)) {
            assert.deepEqual(Object.keys(found).sort(), [
              "event_count",
              "first_recorded_at",
              "last_recorded_at",
              "run",
              "unreadable",
            ]);
            assert.equal((found as unknown as { unreadable: boolean }).unreadable, true);
          }
        }
        const { runs } = is(await own.get("/v1/runs"), 200) as { runs: (Listed & { event_count: number })[] };
        assert.deepEqual(
          runs.map(({ run, event_count }) => [run, event_count]),
          [
            [damaged.id, 2],
            [whole.id, 2],
          ],
        );
        is(await own.get(`/v1/runs/${damaged.id}`), 500, "internal");
        is(await whole.event(2, "NowObserved", NOW), 200);
      } finally {
        await own.stop();
      }
    },
  ],
  [
    "9.25",
    "every run is listed when no limit is given, however many there are",
    async () => {
      const own = await TestServer.start();
      try {
        const ids = Array.from({ length: 1_001 }, () => randomUUID());
        const started = { kind: "RunStarted", payload: { agent_def_hash: "a", input: 1 } } as const;
        await Promise.all(
          ids.map((id) => own.store.append(id, [envelopeOf(id, 0, "2026-01-01T00:00:00Z", started)])),
        );
        for (const query of ["", "?status=running", "?group=progress"]) {
          const { runs, next } = is(await own.get(`/v1/runs${query}`), 200) as {
            runs: Listed[];
            next?: string;
          };
          assert.deepEqual(runs.map(({ run }) => run).sort(), [...ids].sort());
          assert.equal(next, undefined);
        }
      } finally {
        await own.stop();
      }
    },
  ],
  [
    "9.26",
    "a comment comes at least every 15 s",
    () => {
      assert.ok(new AppState({ store: server.store }).keepAliveMs <= 15_000);
    },
  ],
  [
    "9.27",
    "also while things happen that the reader has not asked for",
    async () => {
      const own = await TestServer.start({ keepAliveMs: 300 });
      try {
        const run = await own.open();
        const { store } = own;
        const subscribe = store.subscribe.bind(store);
        // As if something were recorded at every turn, ahead of where the reader begins.
        let recording: NodeJS.Immediate | undefined;
        store.subscribe = (id, onRecorded) => {
          const record = (): void => {
            onRecorded(undefined as never);
            recording = setImmediate(record);
          };
          record();
          return subscribe(id, onRecorded);
        };
        const events = await EventStream.open(`${own.url}/v1/runs/${run.id}/events?from_seq=9`);
        const giveUp = setTimeout(() => void run.event(1, "RunFailed", { error: "e" }), 5_000);
        assert.equal((await events.next())?.text, ": keep-alive");
        clearTimeout(giveUp);
        clearImmediate(recording);
        events.leave();
      } finally {
        await own.stop();
      }
    },
  ],
]);
