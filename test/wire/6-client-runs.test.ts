import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { DEFAULT_LEASE_TTL_MS } from "#salvor/server/drivers.js";
import { EventStream } from "../support/event-stream.js";
import { spawnServer } from "../support/spawn-server.js";
import { TestServer } from "../support/test-server.js";
import { is, table } from "./table.js";

const OPERATOR = "operator-secret";
const NOW = { now: "2026-01-01T00:00:00Z" };
let server: TestServer;
before(async () => (server = await TestServer.start({ operatorToken: OPERATOR })));
after(() => server.stop());

const open = (body: object = {}) => server.post("/v1/client-runs", body);
const driver = async (id: string) => (await server.get(`/v1/runs/${id}`)).json.driver as unknown;

/** The text of every file of the store. */
async function stored(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((each) => each.isFile())
    .map((each) => readFile(join(each.parentPath, each.name), "utf8"));
  return (await Promise.all(files)).join("\n");
}

table(6, "client runs", [
  ["6.1", "every field of an opening may be left out", async () => is(await open(), 201)],
  [
    "6.2",
    "agent, input, run_id and record_prompts may be given",
    async () =>
      is(
        await open({
          agent: { a: 1 },
          input: [null],
          run_id: "10000000-0000-4000-8000-000000000000",
          record_prompts: true,
        }),
        201,
      ),
  ],
  [
    "6.3",
    "a fresh id is 201 with an empty log",
    async () => {
      assert.deepEqual(is(await open({ run_id: "20000000-0000-4000-8000-000000000000" }), 201).log, []);
    },
  ],
  [
    "6.4",
    "a known id is 200 with its log and a fresh token, and the old token stops working",
    async () => {
      const run = await server.open();
      const again = is(await open({ run_id: run.id }), 200);
      assert.equal(again.log.length, 1);
      assert.notEqual(again.drive_token, run.token);
      is(await run.event(1, "NowObserved", NOW), 403, "invalid_drive_token");
      is(
        await run.post(
          "events",
          { events: [run.envelope(1, "NowObserved", NOW)] },
          { drive: again.drive_token },
        ),
        200,
      );
    },
  ],
  [
    "6.5",
    "an id with history of another kind is 409 run_exists",
    async () => {
      const run = await server.open();
      const id = "30000000-0000-4000-8000-000000000000";
      await server.record(id, [
        { ...run.envelope(0, "RunStarted", { agent_def_hash: "a", input: 1 }), run_id: id } as never,
      ]);
      is(await open({ run_id: id }), 409, "run_exists");
    },
  ],
  [
    "6.6",
    "an erased id is 409 run_exists",
    async () => {
      const run = await server.open();
      await run.event(1, "RunCompleted", { output: 1 });
      await server.store.erase(run.id);
      is(await open({ run_id: run.id }), 409, "run_exists");
    },
  ],
  [
    "6.7",
    "a token is dt_ and 32 hex digits",
    async () => {
      assert.match(is(await open(), 201).drive_token as string, /^dt_[0-9a-f]{32}$/);
    },
  ],
  [
    "6.8",
    "tokens are random: no two are alike",
    async () => {
      const tokens = await Promise.all(
        Array.from({ length: 20 }, async () => (await open()).json.drive_token as string),
      );
      assert.equal(new Set(tokens).size, 20);
    },
  ],
  [
    "6.9",
    "only a hash of it is stored",
    async () => {
      const run = await server.open();
      await server.close();
      const text = await stored(server.dir);
      await server.restart();
      assert.ok(text.includes(run.id));
      assert.ok(!text.includes(run.token.slice(3)));
    },
  ],
  [
    "6.10",
    "opening again rotates the token, then reads the log, in the run's queue: it shows every event that an old token appended",
    async () => {
      const run = await server.open();
      const [appended, opened] = await Promise.all([
        run.event(1, "NowObserved", NOW),
        open({ run_id: run.id }),
      ]);
      const count = (await run.log()).length;
      assert.equal(opened.json.log.length, count);
      assert.equal(count, appended.status === 200 ? 2 : 1);
    },
  ],
  [
    "6.11",
    "a restart is invisible: a token goes on driving",
    async () => {
      const run = await server.open();
      await server.restart();
      is(await run.event(1, "NowObserved", NOW), 200);
    },
  ],
  [
    "6.12",
    "the driver is attached while the token was presented within 60 s, else none",
    async () => {
      assert.equal(DEFAULT_LEASE_TTL_MS, 60_000);
      const run = await server.open();
      assert.equal(await driver(run.id), "attached");
      await server.restart({ operatorToken: OPERATOR, leaseTtlMs: 0 });
      is(await run.event(1, "NowObserved", NOW), 200);
      assert.equal(await driver(run.id), "none");
      await server.restart({ operatorToken: OPERATOR });
    },
  ],
  [
    "6.13",
    "it is left out when the run is terminal",
    async () => {
      const run = await server.open();
      await run.event(1, "RunCompleted", { output: 1 });
      assert.equal(await driver(run.id), undefined);
    },
  ],
  [
    "6.14",
    "a lapsed lease still drives",
    async () => {
      const run = await server.open();
      await server.restart();
      assert.equal(await driver(run.id), "none");
      is(await run.event(1, "NowObserved", NOW), 200);
      assert.equal(await driver(run.id), "attached");
    },
  ],
  [
    "6.15",
    "when it was last seen is in memory only: after a restart there is no driver until it is heard of",
    async () => {
      const run = await server.open();
      await server.restart();
      assert.equal(await driver(run.id), "none");
    },
  ],
  [
    "6.16",
    "an opened run without an event is 404 on every read under /v1/runs, and absent from the list",
    async () => {
      const { id } = await server.open({ started: false });
      for (const path of ["", "/replay", "/events"])
        is(await server.get(`/v1/runs/${id}${path}`), 404, "unknown_run");
      const { runs } = is(await server.get("/v1/runs"), 200);
      assert.ok(!(runs as { run: string }[]).some(({ run }) => run === id));
    },
  ],
  [
    "6.17",
    "an append takes 1024 events, and not one more",
    async () => {
      const run = await server.open();
      const events = (count: number) => ({
        events: Array.from({ length: count }, (_, at) => run.envelope(1 + at, "NowObserved", NOW)),
      });
      is(await run.post("events", events(1025)), 400, "bad_request");
      assert.equal(is(await run.post("events", events(1024)), 200).appended.length, 1024);
    },
  ],
  [
    "6.18",
    "every kind may be appended but the four of calls and RunAbandoned, which are 422",
    async () => {
      const run = await server.open();
      for (const kind of [
        "ModelCallRequested",
        "ModelCallCompleted",
        "ToolCallRequested",
        "ToolCallCompleted",
        "RunAbandoned",
        "SomethingLater",
      ])
        is(await run.event(1, kind, {}), 422, "unsupported_event_kind");
      const allowed: readonly (readonly [string, object])[] = [
        ["NowObserved", NOW],
        ["RandomObserved", { value: 1 }],
        ["SleepStarted", { until: NOW.now }],
        ["SleepCompleted", {}],
        ["Suspended", { reason: "r", input_schema: {} }],
      ];
      for (const [at, [kind, payload]] of allowed.entries()) is(await run.event(1 + at, kind, payload), 200);
      is(await run.event(6, "RunFailed", { error: "e" }), 200);
      const other = await server.open();
      is(await other.event(1, "BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 }), 200);
      is(await other.event(2, "RunCompleted", { output: 1 }), 200);
    },
  ],
  [
    "6.19",
    "Resumed is 403 operator_required when an operator token is configured",
    async () => {
      const run = await server.open();
      await run.event(1, "Suspended", { reason: "r", input_schema: {} });
      is(await run.event(2, "Resumed", { input: 1 }), 403, "operator_required");
      is(
        await run.post(
          "events",
          { events: [run.envelope(2, "Resumed", { input: 1 })] },
          { bearer: OPERATOR },
        ),
        200,
      );
    },
  ],
  [
    "6.20",
    "all or nothing: one bad event, and none is written, also on disk",
    async () => {
      const run = await server.open();
      const events = [run.envelope(1, "NowObserved", NOW), run.envelope(2, "SleepCompleted", {})];
      is(await run.post("events", { events }), 409, "divergence");
      assert.equal((await run.log()).length, 1);
      await server.restart();
      assert.equal((await run.log()).length, 1);
    },
  ],
  [
    "6.21",
    "the same event at a recorded position is no-op, its seq reported, recorded_at set aside",
    async () => {
      const run = await server.open();
      is(await run.event(1, "NowObserved", NOW), 200);
      const again = { ...run.envelope(1, "NowObserved", NOW), recorded_at: "2031-01-01T00:00:00Z" };
      assert.deepEqual(
        is(await run.post("events", { events: [again, run.envelope(2, "NowObserved", NOW)] }), 200),
        { appended: [1, 2] },
      );
      assert.equal((await run.log()).length, 3);
    },
  ],
  [
    "6.22",
    "a different one there is 409 divergence",
    async () => {
      const run = await server.open();
      await run.event(1, "NowObserved", NOW);
      is(await run.event(1, "NowObserved", { now: "2026-01-02T00:00:00Z" }), 409, "divergence");
    },
  ],
  [
    "6.23",
    "SALVOR_CLIENT_LEASE_TTL_SECS says for how long a driver counts as attached",
    async () => {
      const own = await spawnServer({ env: { SALVOR_CLIENT_LEASE_TTL_SECS: "1" } });
      try {
        const post = async (path: string, body: unknown, drive = "") => {
          const headers = drive === "" ? {} : { "x-drive-token": drive };
          const answer = await fetch(own.url + path, { method: "POST", headers, body: JSON.stringify(body) });
          return (await answer.json()) as { run: string; drive_token: string };
        };
        const { run, drive_token } = await post("/v1/client-runs", {});
        const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: 1 } };
        const events = [{ run_id: run, seq: 0, schema_version: 1, event }];
        await post(`/v1/client-runs/${run}/events`, { events }, drive_token);
        // A stream tails while a driver is attached, and ends when none is any more: long before the 60 s of the default.
        const stream = await EventStream.open(`${own.url}/v1/runs/${run}/events`);
        assert.deepEqual(await stream.rest(), {
          seqs: [0],
          end: { status: { state: "running" }, detached: true },
        });
      } finally {
        await own.stop();
      }
    },
  ],
]);
