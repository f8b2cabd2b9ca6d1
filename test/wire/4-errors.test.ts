import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { HandlerError } from "#salvor/index.js";
import { STATUS_OF } from "#salvor/server/api-error.js";
import { hostedTool, hostedTools, Paused } from "../support/hosted-tools.js";
import { TestServer, type Answer, type TestRun } from "../support/test-server.js";
import { is, table } from "./table.js";
import { onOwn } from "./on-own.js";

const [CLIENT, OPERATOR] = ["client-secret", "operator-secret"];
let server: TestServer;
let run: TestRun;
before(async () => {
  server = await TestServer.start({ clientToken: CLIENT, operatorToken: OPERATOR });
  run = await server.open({ bearer: CLIENT });
});
after(() => server.stop());

const call = (method: string, path: string, options = {}) =>
  server.call(method, path, { bearer: CLIENT, ...options });
const ID = "00000000-0000-4000-8000-00000000abcd";
const NOW = { now: "2026-01-01T00:00:00Z" };
const TOO_MUCH = " ".repeat(8_388_609);

/** Takes a server's folder away from it, as another server does that is forced to; answers what the first refused append was answered. */
async function takeFolder(own: TestServer, driven: TestRun): Promise<Answer> {
  const lock = join(own.dir, "lock");
  const held = JSON.parse(await readFile(lock, "utf8")) as object;
  await writeFile(lock, JSON.stringify({ ...held, nonce: randomUUID() }));
  // The store looks at its lock now and then, not for every write.
  for (let seq = 1; ; seq += 1) {
    const answer = await driven.event(seq, "NowObserved", NOW);
    if (answer.status !== 200) return answer;
  }
}

table(4, "errors", [
  [
    "4.1",
    "every refusal is {error: {code, message, details?}}, of unknown routes, wrong methods and bad bodies too",
    async () => {
      for (const answer of [
        await call("GET", "/nothing"),
        await call("DELETE", "/v1/runs"),
        await call("POST", "/v1/client-runs", { raw: "{" }),
        await call("GET", `/v1/runs/${ID}`),
      ]) {
        assert.deepEqual(Object.keys(answer.json as object), ["error"]);
        const { code, message, ...rest } = answer.json.error as Record<string, unknown>;
        assert.deepEqual([typeof code, typeof message], ["string", "string"]);
        assert.ok(Object.keys(rest).every((key) => key === "details"));
      }
    },
  ],
  [
    "4.2",
    "the bearer is judged before the route",
    async () => is(await server.get("/nothing"), 401, "unauthorized"),
  ],
  [
    "4.3",
    "the route is judged before the method",
    async () => is(await call("DELETE", "/nothing"), 404, "not_found"),
  ],
  [
    "4.4",
    "the method is judged before the id",
    async () => is(await call("DELETE", "/v1/runs/no-id"), 405, "method_not_allowed"),
  ],
  [
    "4.5",
    "the id is judged before the drive token",
    async () =>
      is(await call("POST", "/v1/client-runs/no-id/events", { raw: "{" }), 400, "bad_request", /UUID/),
  ],
  [
    "4.6",
    "the drive token is judged before the operator",
    async () => is(await call("POST", `${run.path}/resolve`, { raw: "{" }), 401, "missing_drive_token"),
  ],
  [
    "4.7",
    "the operator is judged before the body",
    async () => is(await call("POST", `/v1/runs/${run.id}/resume`, { raw: "{" }), 403, "operator_required"),
  ],
  [
    "4.8",
    "the size is judged before the JSON",
    async () =>
      is(await call("POST", "/v1/client-runs", { raw: "{".repeat(8_388_609) }), 413, "payload_too_large"),
  ],
  [
    "4.9",
    "the JSON is judged before the shape",
    async () =>
      is(
        await call("POST", "/v1/client-runs", { raw: '{"run_id":1,"run_id":1}' }),
        400,
        "bad_request",
        /run_id/,
      ),
  ],
  [
    "4.10",
    "the shape is judged before the endpoint's own rules",
    async () =>
      is(
        await run.post("client-tool-intent", { seq: -1, tool: "nobody", input: {} }),
        400,
        "bad_request",
        /seq/,
      ),
  ],
  [
    "4.11",
    "400 bad_request names every violation when a schema refused it",
    async () => {
      const { error } = is(await run.intent(1, "refund_card", { order_id: 1 }), 400, "bad_request");
      const violations = error.details.violations as { path: string; message: string }[];
      assert.equal(violations.length, 2);
      for (const each of violations) assert.deepEqual(Object.keys(each).sort(), ["message", "path"]);
    },
  ],
  [
    "4.12",
    "401 unauthorized carries WWW-Authenticate: Bearer",
    async () => {
      const answer = await server.get("/v1/runs");
      is(answer, 401, "unauthorized");
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
    },
  ],
  [
    "4.13",
    "a bearer that matches nothing is 401 even where none is needed",
    async () => is(await server.get("/healthz", { bearer: "guessed" }), 401, "unauthorized"),
  ],
  [
    "4.14",
    "401 missing_drive_token",
    async () => is(await call("POST", `${run.path}/events`, { body: {} }), 401, "missing_drive_token"),
  ],
  [
    "4.15",
    "403 invalid_drive_token",
    async () =>
      is(await call("POST", `${run.path}/events`, { body: {}, drive: "dt_x" }), 403, "invalid_drive_token"),
  ],
  [
    "4.16",
    "403 client_completion_refused",
    async () => {
      const own = await server.open({ bearer: CLIENT });
      await own.intent(1, "pay_out", { iban: "a", amount_cents: 1 });
      is(await own.complete(1, { output: {} }), 403, "client_completion_refused");
    },
  ],
  [
    "4.17",
    "403 operator_required",
    async () => is(await call("POST", `/v1/runs/${run.id}/abandon`, { body: {} }), 403, "operator_required"),
  ],
  [
    "4.18",
    "403 forbidden_origin",
    async () =>
      is(
        await call("GET", "/v1/runs", { headers: { origin: "https://elsewhere.example" } }),
        403,
        "forbidden_origin",
      ),
  ],
  ["4.19", "404 unknown_run", async () => is(await call("GET", `/v1/runs/${ID}`), 404, "unknown_run")],
  ["4.20", "404 unknown_tool", async () => is(await run.intent(1, "nobody", {}), 404, "unknown_tool")],
  [
    "4.21",
    "404 not_found: no such route",
    async () => is(await call("GET", "/v1/nothing"), 404, "not_found"),
  ],
  [
    "4.22",
    "405 method_not_allowed carries Allow",
    async () => {
      const answer = await call("PUT", "/v1/runs");
      is(answer, 405, "method_not_allowed");
      assert.match(answer.headers.get("allow") ?? "", /GET/);
    },
  ],
  [
    "4.23",
    "409 divergence names the holder when another call holds the identity",
    async () => {
      const own = await server.open({ bearer: CLIENT });
      await own.intent(1, "refund_card", { order_id: "a", amount_cents: 1 });
      await own.complete(1, { suspend: { reason: "r", input_schema: true } });
      await server.post(
        `/v1/runs/${own.id}/resume`,
        { input: { refund_id: "r", amount_cents: 2 } },
        { bearer: OPERATOR },
      );
      const { error } = is(
        await own.intent(5, "refund_card", { order_id: "a", amount_cents: 1 }),
        409,
        "divergence",
      );
      assert.deepEqual(error.details.holder, { run_id: own.id, seq: 1 });
    },
  ],
  [
    "4.24",
    "409 run_exists",
    async () => {
      await server.record(ID, [
        { ...run.envelope(0, "RunStarted", { agent_def_hash: "a", input: 1 }), run_id: ID } as never,
      ]);
      is(await call("POST", "/v1/client-runs", { body: { run_id: ID } }), 409, "run_exists");
    },
  ],
  [
    "4.25",
    "409 wrong_state",
    async () =>
      is(
        await server.post(`/v1/runs/${run.id}/resolve`, { output: 1 }, { bearer: OPERATOR }),
        409,
        "wrong_state",
      ),
  ],
  [
    "4.26",
    "409 needs_reconciliation carries the intent",
    async () => {
      const own = await server.open({ bearer: CLIENT });
      await own.intent(1, "charge_card", { cents: 1 });
      const { error } = is(
        await server.post(`/v1/runs/${own.id}/resume`, { input: 1 }, { bearer: OPERATOR }),
        409,
        "needs_reconciliation",
      );
      const { intent } = error.details;
      assert.deepEqual(Object.keys(intent as object).sort(), [
        "effect",
        "idempotency_key",
        "input",
        "kind",
        "recorded_at",
        "seq",
        "tool",
      ]);
      assert.deepEqual(
        [intent.kind, intent.seq, intent.tool, intent.input, intent.effect],
        ["tool", 1, "charge_card", { cents: 1 }, "write"],
      );
    },
  ],
  [
    "4.27",
    "413 payload_too_large",
    async () =>
      is(await call("POST", "/v1/client-runs", { raw: " ".repeat(8_388_609) }), 413, "payload_too_large"),
  ],
  [
    "4.28",
    "422 unsupported_event_kind",
    async () => is(await run.event(1, "RunAbandoned", {}), 422, "unsupported_event_kind"),
  ],
  [
    "4.29",
    "each code has the one status of the list",
    () => {
      const listed = {
        400: ["bad_request"],
        401: ["unauthorized", "missing_drive_token"],
        403: ["invalid_drive_token", "client_completion_refused", "operator_required", "forbidden_origin"],
        404: ["unknown_run", "unknown_tool", "not_found"],
        405: ["method_not_allowed"],
        409: ["divergence", "run_exists", "wrong_state", "needs_reconciliation"],
        413: ["payload_too_large"],
        422: ["unsupported_event_kind"],
        500: ["internal"],
        502: ["tool_execution", "model_execution"],
        503: [
          "tool_registry_unavailable",
          "model_executor_unavailable",
          "store_unavailable",
          "shutting_down",
        ],
      };
      const flat = Object.entries(listed).flatMap(([status, codes]) =>
        codes.map((code) => [code, Number(status)]),
      );
      assert.deepEqual(Object.fromEntries(flat), STATUS_OF);
    },
  ],
  [
    "4.30",
    "ids are hyphenated UUIDs in any case, printed in lower case; anything else is 400",
    async () => {
      const id = "ABCDEF00-0000-4000-8000-00000000ABCD";
      const { run: printed } = is(await call("POST", "/v1/client-runs", { body: { run_id: id } }), 201);
      assert.equal(printed, id.toLowerCase());
      is(await call("GET", `/v1/client-runs/${id}/log`), 200);
      for (const other of [id.replaceAll("-", ""), `{${id}}`, "x", "1"]) {
        is(await call("POST", "/v1/client-runs", { body: { run_id: other } }), 400, "bad_request");
        is(await call("GET", `/v1/runs/${encodeURIComponent(other)}`), 400, "bad_request");
      }
    },
  ],
  [
    "4.31",
    "the operator is judged before the size, and so is whatever is judged before the operator",
    async () => {
      const post = (path: string, options = {}) => call("POST", path, { raw: TOO_MUCH, ...options });
      is(await server.call("POST", "/v1/client-runs", { raw: TOO_MUCH }), 401, "unauthorized");
      is(await post("/nothing"), 404, "not_found");
      is(await post(`/v1/runs/${run.id}/replay`), 405, "method_not_allowed");
      is(await post("/v1/client-runs/no-id/events"), 400, "bad_request", /UUID/);
      is(await post(`/v1/client-runs/${ID.replace("abcd", "aaaa")}/events`), 404, "unknown_run");
      is(await post(`${run.path}/events`), 401, "missing_drive_token");
      is(await post(`${run.path}/events`, { drive: "dt_x" }), 403, "invalid_drive_token");
      is(await post(`/v1/runs/${run.id}/resume`), 403, "operator_required");
      is(await post(`${run.path}/resolve`, { drive: run.token }), 403, "operator_required");
    },
  ],
  [
    "4.32",
    "502 tool_execution",
    () =>
      onOwn(
        {
          hosted: hostedTools(
            hostedTool("decline", "write", () => {
              throw new HandlerError("no");
            }),
          ),
        },
        async (own) => {
          const driven = await own.open();
          is(
            await driven.post("tool-step", { seq: 1, tool: "decline", input: {} }),
            502,
            "tool_execution",
            /no/,
          );
        },
      ),
  ],
  [
    "4.33",
    "502 model_execution",
    () =>
      onOwn({ executor: { call: () => Promise.reject(new Error("no")) } }, async (own) => {
        const driven = await own.open();
        is(await driven.post("model-step", { seq: 1, request: {} }), 502, "model_execution");
      }),
  ],
  [
    "4.34",
    "503 tool_registry_unavailable",
    async () =>
      is(
        await run.post("tool-step", { seq: 1, tool: "t", input: {} }),
        503,
        "tool_registry_unavailable",
        /--tools/,
      ),
  ],
  [
    "4.35",
    "503 model_executor_unavailable",
    async () =>
      is(
        await run.post("model-step", { seq: 1, request: {} }),
        503,
        "model_executor_unavailable",
        /ANTHROPIC_API_KEY/,
      ),
  ],
  [
    "4.36",
    "503 store_unavailable carries Retry-After, names no file, and nothing of the append is shown; what is recorded is read on",
    () =>
      onOwn({}, async (own) => {
        const driven = await own.open();
        const refused = await takeFolder(own, driven);
        is(refused, 503, "store_unavailable");
        assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        assert.ok(!refused.text.includes(own.dir));
        const { length } = await driven.log();
        for (const answer of [
          await driven.intent(length, "charge_card", { cents: 1 }),
          await driven.post("steps", { steps: [{ event: driven.envelope(length, "NowObserved", NOW) }] }),
          await own.post("/v1/client-runs", {}),
          await own.post(`/v1/runs/${driven.id}/abandon`, {}),
        ]) {
          is(answer, 503, "store_unavailable");
          assert.ok(answer.headers.has("retry-after"));
        }
        assert.equal((await driven.log()).length, length);
      }),
  ],
  [
    "4.37",
    "503 shutting_down carries Retry-After, and nothing of what it refuses is recorded",
    () => {
      const paused = new Paused();
      const hosted = hostedTools(hostedTool("wait", "write", paused.call));
      return onOwn({ hosted, hosting: { concurrency: 1, lineLength: 1 } }, async (own) => {
        const runs = [await own.open(), await own.open(), await own.open()] as const;
        const step = (driven: TestRun) => driven.post("tool-step", { seq: 1, tool: "wait", input: {} });
        const working = step(runs[0]);
        await paused.begun();
        // One of two waits for its turn once the other was told that the line is full.
        const both = [step(runs[1]), step(runs[2])] as const;
        const full = await Promise.race(both.map((answer, at) => answer.then(() => at)));
        is(await both[full as 0 | 1], 503, "tool_registry_unavailable");
        const closed = own.close();
        const refused = await both[full === 0 ? 1 : 0];
        is(refused, 503, "shutting_down");
        assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        paused.end(1);
        is(await working, 200);
        await closed;
        await own.restart();
        for (const driven of runs.slice(1)) assert.equal((await driven.log()).length, 1);
      });
    },
  ],
  [
    "4.38",
    "500 internal says nothing of the inside: no stack, no path, no secret",
    () =>
      onOwn({}, async (own) => {
        const driven = await own.open();
        const { store } = own;
        const readLog = store.readLog.bind(store);
        store.readLog = () => Promise.reject(new Error(`EIO: read ${own.dir}/x, key sk-secret`));
        const answer = await own.get(`${driven.path}/log`);
        is(answer, 500, "internal");
        assert.doesNotMatch(answer.text, /EIO|secret|\n|at \w+ \(|node:/);
        assert.ok(!answer.text.includes(own.dir));
        store.readLog = readLog;
        is(await own.get(`${driven.path}/log`), 200);
      }),
  ],
  [
    "4.39",
    "nor does that of a log which can no longer be trusted, however it was damaged",
    () =>
      onOwn({}, async (own) => {
        const damages: readonly ((file: string) => Promise<void>)[] = [
          (file) => rm(file),
          (file) => writeFile(file, ""),
          async (file) => writeFile(file, (await readFile(file, "utf8")).replace("2026-01-01", "2026-01-02")),
          async (file) => writeFile(file, (await readFile(file, "utf8")).slice(0, -20)),
        ];
        for (const damage of damages) {
          const driven = await own.open();
          is(await driven.event(1, "NowObserved", NOW), 200);
          await own.close();
          await damage(join(own.dir, "runs", driven.id.slice(0, 2), `${driven.id}.json`));
          await own.restart();
          for (const path of [
            `${driven.path}/log`,
            `/v1/runs/${driven.id}`,
            `/v1/runs/${driven.id}/replay`,
          ]) {
            const answer = await own.get(path);
            is(answer, 500, "internal");
            assert.ok(!answer.text.includes(own.dir), answer.text);
            assert.doesNotMatch(answer.text, /ENOENT|\.json|at \w+ \(|node:/);
          }
          is(await driven.event(2, "NowObserved", NOW), 500, "internal");
        }
      }),
  ],
]);
