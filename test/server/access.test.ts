import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { AppState } from "#salvor/server/index.js";
import { openLowdbStore } from "#salvor/store/index.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestServer } from "../support/test-server.js";

const CLIENT = "client-secret";
const OPERATOR = "operator-secret";
const SOME_RUN = "00000000-0000-4000-8000-00000000ffff";

void describe("access with both tokens configured", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ clientToken: CLIENT, operatorToken: OPERATOR });
  });
  after(() => server.stop());

  it("needs a bearer for everything but health, before anything else is judged", async () => {
    for (const [method, path] of [
      ["GET", "/v1/runs"],
      ["POST", "/v1/client-runs"],
      ["GET", "/nowhere"],
      ["DELETE", "/v1/runs"],
      ["GET", "/v1/runs/not-an-id"],
    ] as const) {
      const answer = await server.call(method, path);
      assert.equal(answer.status, 401, path);
      assert.equal(answer.json.error.code, "unauthorized");
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
    }
    assert.equal((await server.get("/healthz")).status, 200);
    assert.equal((await server.get("/readyz")).status, 200);
  });

  it("refuses a bearer that matches neither, even where none is needed", async () => {
    for (const path of ["/v1/runs", "/healthz"]) {
      assert.equal((await server.get(path, { bearer: "other" })).status, 401);
    }
  });

  it("lets the client token read, open and drive, and the operator token do the same", async () => {
    for (const bearer of [CLIENT, OPERATOR]) {
      const run = await server.open({ bearer });
      assert.equal((await run.intent(1, "charge_card", { cents: 1 })).status, 200);
      assert.equal((await server.get("/v1/runs", { bearer })).status, 200);
    }
  });

  it("lets only the operator resolve and abandon", async () => {
    const run = await server.open({ bearer: CLIENT });
    await run.intent(1, "charge_card", { cents: 1 });
    for (const path of [`/v1/runs/${run.id}/resolve`, `/v1/runs/${run.id}/abandon`]) {
      const answer = await server.post(path, { output: 1 }, { bearer: CLIENT });
      assert.equal(answer.status, 403);
      assert.equal(answer.json.error.code, "operator_required");
    }
    assert.equal(
      (await run.post("resolve", { output: { charge: "c" } })).json.error.code,
      "operator_required",
    );
    assert.equal((await run.log()).length, 2);
    const settled = await run.post("resolve", { output: { charge: "c" } }, { bearer: OPERATOR });
    assert.deepEqual(settled.json, { run: run.id, resolved: true });
  });

  it("does not let a client approve its own suspension, and lets the operator", async () => {
    const run = await server.open({ bearer: CLIENT });
    await run.event(1, "Suspended", { reason: "approve", input_schema: {} });
    const refused = await run.event(2, "Resumed", { input: "yes" });
    assert.equal(refused.status, 403);
    assert.equal(refused.json.error.code, "operator_required");
    const events = { events: [run.envelope(2, "Resumed", { input: "yes" })] };
    assert.equal((await run.post("events", events, { bearer: OPERATOR })).status, 200);
  });

  it("judges the drive token in order: the run, its absence, its being current, then the operator, then the body", async () => {
    const run = await server.open({ bearer: CLIENT });
    const resolve = (id: string, drive: string | undefined, raw: string) =>
      server.call("POST", `/v1/client-runs/${id}/resolve`, {
        raw,
        bearer: CLIENT,
        ...(drive !== undefined && { drive }),
      });
    assert.equal((await resolve("nope", "x", "{")).json.error.code, "bad_request");
    assert.equal((await resolve(SOME_RUN, undefined, "{")).json.error.code, "unknown_run");
    const absent = await resolve(run.id, undefined, "{");
    assert.deepEqual([absent.status, absent.json.error.code], [401, "missing_drive_token"]);
    const wrong = await resolve(run.id, "dt_00000000000000000000000000000000", "{");
    assert.deepEqual([wrong.status, wrong.json.error.code], [403, "invalid_drive_token"]);
    assert.equal((await resolve(run.id, run.token, "{")).json.error.code, "operator_required");
  });

  it("reads the log without a drive token", async () => {
    const run = await server.open({ bearer: CLIENT });
    assert.equal((await server.get(`${run.path}/log`, { bearer: CLIENT })).status, 200);
  });
});

void describe("access with only an operator token", () => {
  it("needs no bearer of a client, and the operator's for a decision", async () => {
    const server = await TestServer.start({ operatorToken: OPERATOR });
    try {
      const run = await server.open();
      assert.equal(
        (await server.post(`/v1/runs/${run.id}/abandon`, {})).json.error.code,
        "operator_required",
      );
      assert.equal((await server.post(`/v1/runs/${run.id}/abandon`, {}, { bearer: OPERATOR })).status, 200);
    } finally {
      await server.stop();
    }
  });
});

void describe("access without tokens", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ allowOrigins: ["https://ops.example"] });
  });
  after(() => server.stop());

  it("lets every client decide", async () => {
    const run = await server.open();
    assert.equal((await server.post(`/v1/runs/${run.id}/abandon`, { reason: "done" })).status, 200);
  });

  it("refuses a bearer, which matches no configured token", async () => {
    assert.equal((await server.get("/v1/runs", { bearer: "any" })).status, 401);
  });

  it("refuses a page of a foreign origin, before it can settle anything", async () => {
    const run = await server.open();
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1"]) {
      const answer = await server.post(`/v1/runs/${run.id}/abandon`, {}, { headers: { origin } });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.json.error.code, "forbidden_origin");
    }
    assert.equal((await run.log()).length, 1);
  });

  it("lets its own pages and an allowed origin call, with CORS for that one", async () => {
    const own = await server.get("/v1/runs", { headers: { origin: server.url } });
    assert.equal(own.status, 200);
    assert.equal(own.headers.get("access-control-allow-origin"), null);
    const allowed = await server.get("/v1/runs", { headers: { origin: "https://ops.example" } });
    assert.equal(allowed.headers.get("access-control-allow-origin"), "https://ops.example");
    const preflight = await server.call("OPTIONS", "/v1/runs", {
      headers: { origin: "https://ops.example", "access-control-request-method": "POST" },
    });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /X-Drive-Token/);
  });

  const askBy = (url: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${url}/v1/runs`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });

  it("refuses a host that is not loopback, which ends DNS rebinding", async () => {
    for (const host of ["evil.example", "127.0.0.1.evil.example", "192.0.2.7:8080"]) {
      assert.equal(await askBy(server.url, host), 403, host);
    }
    for (const host of ["localhost:8080", "[::1]:8080", "127.0.0.9"]) {
      assert.equal(await askBy(server.url, host), 200, host);
    }
  });

  it("refuses such a host while only an operator token is configured: whoever reaches it reads and drives", async () => {
    const own = await TestServer.start({ operatorToken: OPERATOR });
    try {
      assert.equal(await askBy(own.url, "evil.example"), 403);
      assert.equal(await askBy(own.url, "localhost:8080"), 200);
    } finally {
      await own.stop();
    }
  });

  it("lets other machines call by address where that is wanted, and never by a name", async () => {
    const open = await TestServer.start({ insecure: true });
    try {
      for (const host of ["192.0.2.7:8080", "[2001:db8::1]:8080"])
        assert.equal(await askBy(open.url, host), 200, host);
      for (const host of ["evil.example", "192.0.2.7.evil.example"])
        assert.equal(await askBy(open.url, host), 403, host);
    } finally {
      await open.stop();
    }
  });
});

void describe("an AppState", () => {
  it("refuses equal and empty tokens", async () => {
    const dir = await mkdtemp(join(tmpdir(), "salvor-test-"));
    const store = await openLowdbStore({ dir });
    try {
      assert.throws(() => new AppState({ store, clientToken: "a", operatorToken: "a" }), /equal/);
      assert.throws(() => new AppState({ store, clientToken: "" }), /empty/);
    } finally {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    }
  });
});
