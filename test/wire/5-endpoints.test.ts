import assert from "node:assert/strict";
import { after, before } from "node:test";
import { hostedTool, hostedTools } from "../support/hosted-tools.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { is, table } from "./table.js";

const [CLIENT, OPERATOR] = ["client-secret", "operator-secret"];
let server: TestServer;
let run: TestRun;
before(async () => {
  server = await TestServer.start({
    clientToken: CLIENT,
    operatorToken: OPERATOR,
    hosted: hostedTools(hostedTool("look", "read", () => 1)),
  });
  run = await server.open({ bearer: CLIENT });
});
after(() => server.stop());

const get = (path: string, bearer = CLIENT) => server.get(path, { bearer });
const keys = (value: unknown) => Object.keys(value as object).sort();
const usage = { input_tokens: 1, output_tokens: 1 };

table(5, "endpoints", [
  [
    "5.1",
    "GET /v1/client-tools lists the declared tools, sorted by name",
    async () => {
      const names = (is(await get("/v1/client-tools"), 200).client_tools as { name: string }[]).map(
        ({ name }) => name,
      );
      assert.deepEqual(names, [...names].sort());
      assert.ok(names.includes("refund_card"));
    },
  ],
  [
    "5.2",
    "POST /v1/client-runs answers 201 and an empty log when fresh, 200 and the log when opened again",
    async () => {
      const fresh = is(await server.post("/v1/client-runs", {}, { bearer: CLIENT }), 201);
      assert.deepEqual([keys(fresh), fresh.log], [["drive_token", "log", "run"], []]);
      const again = is(await server.post("/v1/client-runs", { run_id: run.id }, { bearer: CLIENT }), 200);
      assert.equal(again.log.length, 1);
      run = await server.open({ bearer: CLIENT });
    },
  ],
  [
    "5.3",
    "GET …/log?from_seq=n needs no drive token",
    async () => {
      assert.equal(is(await get(`${run.path}/log`), 200).log.length, 1);
      assert.deepEqual(is(await get(`${run.path}/log?from_seq=1`), 200).log, []);
    },
  ],
  [
    "5.4",
    "POST …/events answers the positions",
    async () => {
      assert.deepEqual(is(await run.event(1, "NowObserved", { now: "2026-01-01T00:00:00Z" }), 200), {
        appended: [1],
      });
    },
  ],
  [
    "5.5",
    "POST …/client-tool-intent answers seq, key, effect and settled",
    async () => {
      assert.deepEqual(keys(is(await run.intent(2, "charge_card", { cents: 1 }), 200)), [
        "effect",
        "idempotency_key",
        "seq",
        "settled",
      ]);
    },
  ],
  [
    "5.6",
    "POST …/client-tool-completion answers seq and completed",
    async () => {
      assert.deepEqual(is(await run.complete(2, { output: { charge: "c" } }), 200), {
        seq: 2,
        completed: true,
      });
    },
  ],
  [
    "5.7",
    "a settled intent answers its output too",
    async () => {
      assert.deepEqual(is(await run.intent(2, "charge_card", { cents: 1 }), 200).output, { charge: "c" });
    },
  ],
  [
    "5.8",
    "POST …/client-model-intent answers seq and settled",
    async () => {
      assert.deepEqual(is(await run.post("client-model-intent", { seq: 4, request_hash: "h" }), 200), {
        seq: 4,
        settled: false,
      });
    },
  ],
  [
    "5.9",
    "POST …/client-model-completion answers seq and completed",
    async () => {
      assert.deepEqual(is(await run.post("client-model-completion", { seq: 4, response: 1, usage }), 200), {
        seq: 4,
        completed: true,
      });
    },
  ],
  [
    "5.10",
    "POST …/steps answers results",
    async () => {
      assert.deepEqual(is(await run.post("steps", { steps: [] }), 200), { results: [] });
    },
  ],
  [
    "5.11",
    "POST …/tool-step answers the output",
    async () => {
      assert.deepEqual(is(await run.post("tool-step", { seq: 6, tool: "look", input: {} }), 200), {
        output: 1,
      });
    },
  ],
  [
    "5.12",
    "POST /v1/client-runs/{id}/resolve needs the driver, and the operator when one is configured; it answers without a status",
    async () => {
      await run.intent(8, "pay_out", { iban: "a", amount_cents: 1 });
      const output = { transfer_id: "t", amount_cents: 1 };
      is(await run.post("resolve", { seq: 8, output }), 403, "operator_required");
      is(
        await server.post(`${run.path}/resolve`, { seq: 8, output }, { bearer: OPERATOR }),
        401,
        "missing_drive_token",
      );
      assert.deepEqual(is(await run.post("resolve", { seq: 8, output }, { bearer: OPERATOR }), 200), {
        run: run.id,
        resolved: true,
      });
    },
  ],
  [
    "5.13",
    "a client reads /v1/runs, /v1/runs/{id}, its replay and its stream",
    async () => {
      for (const path of ["", `/${run.id}`, `/${run.id}/replay`]) is(await get(`/v1/runs${path}`), 200);
      is(await server.get("/v1/runs"), 401, "unauthorized");
    },
  ],
  [
    "5.14",
    "resolve, resume and abandon under /v1/runs are the operator's",
    async () => {
      for (const what of ["resolve", "resume", "abandon"])
        is(await server.post(`/v1/runs/${run.id}/${what}`, {}, { bearer: CLIENT }), 403, "operator_required");
    },
  ],
  [
    "5.15",
    "GET /v1/capabilities answers capabilities and the server's version",
    async () => {
      const { capabilities, server: about } = is(await get("/v1/capabilities"), 200);
      assert.deepEqual(
        [typeof capabilities, keys(about), typeof about.version],
        ["object", ["version"], "string"],
      );
    },
  ],
  [
    "5.16",
    "GET /v1/agents answers that there are none",
    async () => {
      assert.deepEqual(is(await get("/v1/agents"), 200), { agents: [] });
    },
  ],
  [
    "5.17",
    "GET /healthz and /readyz answer anyone",
    async () => {
      for (const path of ["/healthz", "/readyz"]) is(await server.get(path), 200);
    },
  ],
  [
    "5.18",
    "the operator may do everything that a client may",
    async () => is(await get("/v1/runs", OPERATOR), 200),
  ],
  [
    "5.19",
    "a driver of a run that is not there: 404 unknown_run",
    async () =>
      is(
        await server.post(
          "/v1/client-runs/00000000-0000-4000-8000-00000000abcd/events",
          { events: [] },
          { bearer: CLIENT, drive: run.token },
        ),
        404,
        "unknown_run",
      ),
  ],
  [
    "5.20",
    "without a drive token: 401 missing_drive_token",
    async () =>
      is(
        await server.post(`${run.path}/events`, { events: [] }, { bearer: CLIENT }),
        401,
        "missing_drive_token",
      ),
  ],
  [
    "5.21",
    "with one that is not current: 403 invalid_drive_token",
    async () =>
      is(
        await run.post("events", { events: [] }, { drive: `dt_${"0".repeat(32)}` }),
        403,
        "invalid_drive_token",
      ),
  ],
  [
    "5.22",
    "the lease is compared in the run's queue: of a superseded driver's requests that race with an opening, none lands after it",
    async () => {
      const own = await server.open({ bearer: CLIENT });
      const racing = Array.from({ length: 8 }, (_, at) =>
        own.event(1 + at, "NowObserved", { now: "2026-01-01T00:00:00Z" }),
      );
      const { log } = is(await server.post("/v1/client-runs", { run_id: own.id }, { bearer: CLIENT }), 200);
      for (const { status } of await Promise.all(racing)) assert.ok([200, 403, 409].includes(status));
      assert.deepEqual(await own.log(), log);
    },
  ],
  [
    "5.23",
    "ready is a store that is open and writable; alive is a server without one too",
    async () => {
      const own = await TestServer.start();
      try {
        is(await own.get("/readyz"), 200);
        const { store } = own;
        Object.defineProperty(store, "health", { value: { writable: false, reason: `${own.dir} is full` } });
        const answer = await own.get("/readyz");
        is(answer, 503, "store_unavailable");
        assert.ok(!answer.text.includes(own.dir));
        is(await own.get("/healthz"), 200);
      } finally {
        await own.stop();
      }
    },
  ],
  [
    "5.24",
    "a call of each endpoint under a run that nobody opened is 404 unknown_run, whoever asks",
    async () => {
      const id = "00000000-0000-4000-8000-00000000abcd";
      for (const what of [
        "events",
        "client-tool-intent",
        "client-tool-completion",
        "client-model-intent",
        "client-model-completion",
        "steps",
        "tool-step",
        "model-step",
        "resolve",
      ])
        is(
          await server.post(`/v1/client-runs/${id}/${what}`, {}, { bearer: OPERATOR, drive: run.token }),
          404,
          "unknown_run",
        );
      for (const path of [`/v1/client-runs/${id}/log`, `/v1/runs/${id}`, `/v1/runs/${id}/replay`])
        is(await get(path), 404, "unknown_run");
      is(await get(`/v1/runs/${id}/events`), 404, "unknown_run");
      const bodies = { resolve: { output: 1 }, resume: { input: 1 }, abandon: {} };
      for (const [what, body] of Object.entries(bodies))
        is(await server.post(`/v1/runs/${id}/${what}`, body, { bearer: OPERATOR }), 404, "unknown_run");
    },
  ],
]);
