import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { serveSettings } from "#salvor/cli/serve-settings.js";
import { ClientToolRegistry } from "#salvor/declarations/index.js";
import { AppState } from "#salvor/server/index.js";
import { secretMatches } from "#salvor/server/tokens.js";
import { EventStream } from "../support/event-stream.js";
import { exchange } from "../support/exchange.js";
import { answersIn } from "../support/raw-answers.js";
import { runSalvor } from "../support/run-salvor.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";
import { LOOK_UP } from "../support/tools.js";
import { is, table } from "./table.js";

// What a client with credentials of its own may try is a test each, by name, in test/server/security.test.ts.
const [CLIENT, OPERATOR] = ["client-secret", "operator-secret"];
const TOKENS = ["--auth-token", "SALVOR_TEST_CLIENT", "--operator-token", "SALVOR_TEST_OPERATOR"];
const env = { SALVOR_TEST_CLIENT: CLIENT, SALVOR_TEST_OPERATOR: OPERATOR };
let guarded: TestServer;
let open: TestServer;
let files: ToolFiles;
let spawned: SpawnedServer;
before(async () => {
  files = await toolFiles();
  await files.write("refund-card.toml", REFUND_CARD);
  [guarded, open, spawned] = await Promise.all([
    TestServer.start({
      clientToken: CLIENT,
      operatorToken: OPERATOR,
      allowOrigins: ["https://ops.example"],
    }),
    TestServer.start(),
    spawnServer({ args: ["--client-tool", files.folder, ...TOKENS, "--log-level", "trace"], env }),
  ]);
});
after(() => Promise.all([guarded.stop(), open.stop(), spawned.stop(), files.remove()]));

/** What a start that must not come about says; the port that it is to take is another server's. */
async function refused(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "salvor-refused-"));
  try {
    const bind = ["--bind", new URL(spawned.url).host];
    const where = args.includes("--bind") ? [] : bind;
    const { code, stderr } = await runSalvor(["serve", "--data", data, ...where, ...args], {
      env: variables,
    });
    assert.notEqual(code, 0);
    return stderr;
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** A call at the spawned server, as its client unless said otherwise. */
async function ask(path: string, body?: unknown, { drive = "", bearer = CLIENT } = {}) {
  const response = await fetch(spawned.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${bearer}`, ...(drive !== "" && { "x-drive-token": drive }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, string> };
}

async function paidOut(): Promise<TestRun> {
  const run = await guarded.open({ bearer: CLIENT });
  is(await run.intent(1, "pay_out", { iban: "a", amount_cents: 1 }), 200);
  return run;
}

table("S", "who may do what", [
  [
    "S.1",
    "a named variable that is unset or empty refuses to start, before binding, naming the variable",
    async () => {
      for (const option of ["--auth-token", "--operator-token"])
        for (const [value, how] of [
          [undefined, /not set/],
          ["", /empty/],
        ] as const) {
          const said = await refused([option, "SALVOR_TEST_TOKEN"], { SALVOR_TEST_TOKEN: value });
          assert.match(said, how);
          assert.match(said, /SALVOR_TEST_TOKEN/);
          assert.doesNotMatch(said, /in use/);
        }
    },
  ],
  [
    "S.2",
    "equal tokens refuse to start, and neither is repeated",
    async () => {
      const said = await refused(TOKENS, {
        SALVOR_TEST_CLIENT: "equal-one",
        SALVOR_TEST_OPERATOR: "equal-one",
      });
      assert.match(said, /SALVOR_TEST_CLIENT.*SALVOR_TEST_OPERATOR/);
      assert.doesNotMatch(said, /equal-one/);
      assert.throws(() => new AppState({ store: open.store, clientToken: "a", operatorToken: "a" }));
    },
  ],
  [
    "S.3",
    "a bearer that matches neither is 401, even where none is needed",
    async () => {
      for (const server of [guarded, open])
        for (const path of ["/healthz", "/readyz", "/v1/runs", "/nothing"])
          is(await server.get(path, { bearer: "guessed" }), 401, "unauthorized");
    },
  ],
  [
    "S.4",
    "override needs a configured operator token",
    async () => {
      const run = await open.open();
      is(await run.intent(1, "charge_card", { cents: 1 }), 200);
      const body = { seq: 1, output: {}, override: true, note: "n" };
      is(await open.post(`/v1/runs/${run.id}/resolve`, body), 403, "operator_required");
    },
  ],
  [
    "S.5",
    "the data folder is 0700 and its files are 0600",
    async () => {
      is({ ...(await ask("/v1/client-runs", {})), text: "", headers: new Headers() }, 201);
      assert.equal((await stat(spawned.dataDir)).mode & 0o777, 0o700);
      const entries = await readdir(spawned.dataDir, { recursive: true, withFileTypes: true });
      assert.ok(entries.some((entry) => entry.isFile()));
      for (const entry of entries) {
        const { mode } = await stat(join(entry.parentPath, entry.name));
        assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
      }
    },
  ],
  [
    "S.6",
    "a foreign Origin is 403 forbidden_origin, whatever it asks for and with whatever token",
    async () => {
      const headers = { origin: "https://elsewhere.example" };
      for (const server of [guarded, open])
        for (const [method, path] of [
          ["GET", "/v1/runs"],
          ["POST", "/v1/client-runs"],
          ["GET", "/healthz"],
          ["OPTIONS", "/v1/runs"],
        ] as const)
          is(
            await server.call(method, path, { headers, ...(server === guarded && { bearer: OPERATOR }) }),
            403,
            "forbidden_origin",
          );
      is(await open.get("/v1/runs", { headers: { origin: "null" } }), 403, "forbidden_origin");
    },
  ],
  [
    "S.7",
    "so is, while no token is configured, a Host that is not loopback; with a token any host is served",
    async () => {
      const asked = async (server: TestServer, host: string, more = "") => {
        const text = `GET /v1/runs HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
        const [answer] = answersIn(await exchange(server.url, text), "GET /v1/runs");
        return [answer?.status, answer?.code];
      };
      for (const host of [
        "rebound.example",
        "localhost.rebound.example",
        "127.0.0.1.rebound.example",
        "10.0.0.1",
      ])
        assert.deepEqual(await asked(open, host), [403, "forbidden_origin"], host);
      for (const host of ["localhost", "127.0.0.1:80", "[::1]:8080"])
        assert.deepEqual(await asked(open, host), [200, undefined], host);
      const authorization = `Authorization: Bearer ${CLIENT}\r\n`;
      assert.deepEqual(await asked(guarded, "salvor.internal", authorization), [200, undefined]);
    },
  ],
  [
    "S.8",
    "--allow-origin opens one origin, with CORS for it",
    async () => {
      const from = (origin: string) => guarded.get("/v1/runs", { bearer: CLIENT, headers: { origin } });
      const allowed = await from("https://ops.example");
      is(allowed, 200);
      assert.equal(allowed.headers.get("access-control-allow-origin"), "https://ops.example");
      assert.match(allowed.headers.get("vary") ?? "", /origin/i);
      for (const near of ["http://ops.example", "https://ops.example:8443", "https://x.ops.example"])
        is(await from(near), 403, "forbidden_origin");
      const preflight = await guarded.call("OPTIONS", "/v1/runs", {
        headers: { origin: "https://ops.example", "access-control-request-method": "POST" },
      });
      assert.equal(preflight.status, 204);
      assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /X-Drive-Token/);
    },
  ],
  [
    "S.9",
    "a client token reads, opens and drives; resolve, resume and abandon need the operator's, who may do all that a client may",
    async () => {
      for (const bearer of [CLIENT, OPERATOR]) {
        const run = await guarded.open({ bearer });
        is(await run.intent(1, "charge_card", { cents: 1 }), 200);
        is(await guarded.get(`/v1/runs/${run.id}`, { bearer }), 200);
        for (const [what, body] of [
          ["resolve", { seq: 1, output: { charge: "c" } }],
          ["abandon", {}],
        ] as const) {
          const answer = await guarded.post(`/v1/runs/${run.id}/${what}`, body, { bearer });
          if (bearer === OPERATOR) is(answer, 200);
          else is(answer, 403, "operator_required");
        }
      }
      is(await guarded.get("/v1/runs"), 401, "unauthorized");
      is(await open.get("/v1/runs"), 200);
    },
  ],
  [
    "S.10",
    "trust_completion = false means that a person settles the call: the refused client cannot resolve, abandon or resume",
    async () => {
      const run = await paidOut();
      const output = { transfer_id: "t", amount_cents: 1 };
      is(await run.complete(1, { output }), 403, "client_completion_refused");
      is(await run.post("resolve", { seq: 1, output }), 403, "operator_required");
      const decide = (what: string, body: object, bearer = CLIENT) =>
        guarded.post(`/v1/runs/${run.id}/${what}`, body, { bearer });
      is(await decide("resolve", { seq: 1, output }), 403, "operator_required");
      is(await decide("abandon", {}), 403, "operator_required");
      is(await decide("resume", { input: 1 }), 403, "operator_required");
      is(await run.event(2, "RunFailed", { error: "e" }), 409, "divergence");
      const own = await guarded.open({ bearer: CLIENT });
      is(await own.event(1, "Suspended", { reason: "r", input_schema: {} }), 200);
      is(await own.event(2, "Resumed", { input: 1 }), 403, "operator_required");
      const event = own.envelope(2, "Resumed", { input: 1 });
      is(await own.post("steps", { steps: [{ event }] }), 403, "operator_required");
      is(await decide("resolve", { seq: 1, output }, OPERATOR), 200);
      assert.equal((await run.log()).length, 3);
    },
  ],
  [
    "S.11",
    "without an operator token the server warns at start, once, that its clients are trusted as operators, naming the flag",
    async () => {
      const trusting = await spawnServer();
      try {
        const said = `${trusting.stdout}${trusting.stderr}`;
        assert.equal(said.match(/--operator-token/g)?.length, 1);
        assert.match(said, /trusted as operators/);
      } finally {
        await trusting.stop();
      }
      assert.doesNotMatch(`${spawned.stdout}${spawned.stderr}`, /trusted as operators/);
    },
  ],
  [
    "S.12",
    "binding anything but loopback without --auth-token is refused unless --insecure says so",
    async () => {
      assert.match(await refused(["--bind", "0.0.0.0:0"]), /--auth-token.*--insecure/);
      const options = { bind: { host: "0.0.0.0", port: 0 }, clientTool: [], allowOrigin: [] };
      const judged = (more: object) =>
        serveSettings({ ...options, data: "", logLevel: "silent", ...more } as never, env);
      await assert.rejects(judged({}));
      await assert.rejects(judged({ operatorToken: "SALVOR_TEST_OPERATOR" }));
      assert.equal((await judged({ insecure: true })).bind.host, "0.0.0.0");
      assert.equal((await judged({ authToken: "SALVOR_TEST_CLIENT" })).bind.host, "0.0.0.0");
    },
  ],
  [
    "S.13",
    "tokens are stored only as hashes, and never logged; nor are inputs, outputs and keys",
    async () => {
      const { json: opened } = await ask("/v1/client-runs", {});
      const { run = "", drive_token: drive = "" } = opened;
      const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: "in-put" } };
      const events = [{ run_id: run, seq: 0, schema_version: 1, event }];
      await ask(`/v1/client-runs/${run}/events`, { events }, { drive });
      const call = { seq: 1, tool: "refund_card", input: { order_id: "order-of-mine", amount_cents: 1 } };
      const { json: intent } = await ask(`/v1/client-runs/${run}/client-tool-intent`, call, { drive });
      const report = { seq: 1, output: { refund_id: "receipt-of-mine", amount_cents: 2 } };
      assert.equal(
        (await ask(`/v1/client-runs/${run}/client-tool-completion`, report, { drive })).status,
        403,
      );
      await ask("/v1/runs", undefined, { bearer: "a-guess" });
      await fetch(`${spawned.url}/healthz`, { headers: { "x-request-id": "the-last" } });
      await spawned.said(/"the-last"/);
      const logged = `${spawned.stdout}${spawned.stderr}`;
      assert.match(logged, /"tool":"refund_card".*"code":"client_completion_refused"|client-tool-completion/);
      const key = intent.idempotency_key ?? "";
      assert.match(key, /^sha256:/);
      for (const secret of [
        CLIENT,
        OPERATOR,
        drive,
        "a-guess",
        "in-put",
        "order-of-mine",
        "receipt-of-mine",
        key,
      ])
        assert.ok(!logged.includes(secret), secret);
      const stored = await readdir(spawned.dataDir, { recursive: true, withFileTypes: true });
      for (const entry of stored.filter((each) => each.isFile())) {
        const text = await readFile(join(entry.parentPath, entry.name), "utf8");
        for (const token of [CLIENT, OPERATOR, drive.slice(3)]) assert.ok(!text.includes(token), entry.name);
      }
    },
  ],
  [
    "S.14",
    "tokens are compared by their hashes, whose length says nothing of theirs",
    () => {
      const hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
      assert.ok(secretMatches("secret", hash));
      for (const other of ["", "secre", "secret ", "x".repeat(100_000)])
        assert.ok(!secretMatches(other, hash));
      assert.match(secretMatches.toString(), /timingSafeEqual/);
    },
  ],
  [
    "S.15",
    "no URL or path of a request or a declaration is followed",
    async () => {
      let followed = 0;
      const listener = createServer((_request, response) => {
        followed += 1;
        response.end("{}");
      });
      listener.listen(0, "127.0.0.1");
      await once(listener, "listening");
      try {
        const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/schema.json`;
        for (const $ref of [url, `file://${join(files.folder, "refund-card.toml")}`]) {
          const declared = { ...LOOK_UP, input_schema: { type: "object", $ref } as never };
          assert.throws(() => new ClientToolRegistry().declare(declared), /\$ref|reference|resolve/i);
          const run = await open.open();
          is(await run.event(1, "Suspended", { reason: "r", input_schema: { $ref } }), 200);
          const answer = await open.post(`/v1/runs/${run.id}/resume`, { input: {} });
          is(answer, 400, "bad_request");
        }
        const run = await open.open();
        is(await run.intent(1, "look_up", { q: url }), 200);
        assert.equal(followed, 0);
      } finally {
        listener.close();
      }
    },
  ],
  [
    "S.16",
    "what is slow, half-open, oversized or too much is bounded, always with an answer in the envelope",
    async () => {
      const own = await TestServer.start({ limits: { headersMs: 100, requestMs: 200, connections: 1 } });
      try {
        for (const [sent, ...expected] of [
          ["", 503, "store_unavailable"],
          ["GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX: ", 503, "store_unavailable"],
          [
            "POST /v1/client-runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
            503,
            "store_unavailable",
          ],
          [
            `GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(17_000)}\r\n\r\n`,
            400,
            "bad_request",
          ],
          ["no HTTP\r\n\r\n", 400, "bad_request"],
        ] as const) {
          const [answer] = answersIn(await exchange(own.url, sent));
          assert.deepEqual([answer?.status, answer?.code], expected, sent.slice(0, 60));
        }
      } finally {
        await own.stop();
      }
    },
  ],
  [
    "S.17",
    "SIGTERM: streams end, what was acknowledged is there afterwards, and the exit is 0",
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), "salvor-stopped-"));
      try {
        const first = await spawnServer({ dataDir });
        const opened = (await (
          await fetch(`${first.url}/v1/client-runs`, { method: "POST", body: "{}" })
        ).json()) as { run: string; drive_token: string };
        const { run } = opened;
        const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: 1 } };
        const body = JSON.stringify({ events: [{ run_id: run, seq: 0, schema_version: 1, event }] });
        const headers = { "x-drive-token": opened.drive_token };
        const path = `/v1/client-runs/${run}/events`;
        assert.equal((await fetch(first.url + path, { method: "POST", headers, body })).status, 200);
        const stream = await EventStream.open(`${first.url}/v1/runs/${run}/events?follow=1`);
        assert.equal((await stream.nextEvent())?.id, 0);
        const stopped = first.stop();
        assert.equal(await stream.nextEvent(), undefined);
        assert.deepEqual(await stopped, { code: 0, signal: null });
        await assert.rejects(fetch(`${first.url}/healthz`));
        const second = await spawnServer({ dataDir });
        assert.equal((await fetch(`${second.url}/v1/runs/${run}`)).status, 200);
        await second.stop();
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  ],
  [
    "S.18",
    "a second server on the folder refuses to start and names the holder's pid; a stale lock is taken over",
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), "salvor-held-"));
      try {
        const holder = await spawnServer({ dataDir });
        const second = await runSalvor(["serve", "--bind", "127.0.0.1:0", "--data", dataDir]);
        assert.notEqual(second.code, 0);
        assert.match(second.stderr, new RegExp(`\\b${holder.pid}\\b`));
        await holder.kill();
        const next = await spawnServer({ dataDir });
        assert.deepEqual(await next.stop(), { code: 0, signal: null });
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  ],
]);
