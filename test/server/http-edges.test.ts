import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { exchange } from "../support/exchange.js";
import { TestServer, type Answer } from "../support/test-server.js";

void describe("a request that Node would answer by itself", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  for (const [what, text] of [
    ["without a Host", "GET /v1/runs HTTP/1.1\r\nConnection: close\r\n\r\n"],
    [
      "with an expectation that nobody meets",
      "POST /v1/client-runs HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ["for a tunnel", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    [
      "for a target that is no URL",
      "GET http://[bad/v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
  ] as const) {
    it(`${what} is a bad request in the error envelope`, async () => {
      const answer = await exchange(server.url, text);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { error: { code: string } };
      assert.equal(body.error.code, "bad_request");
      assert.equal((await server.get("/healthz")).status, 200);
    });
  }

  it("in HTTP/1.0, which knows no Host, is served", async () => {
    assert.match(await exchange(server.url, "GET /v1/runs HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
  });
});

void describe("a count in a query", () => {
  it("may be larger than every log and every list", async () => {
    const server = await TestServer.start();
    try {
      const run = await server.open();
      for (const count of ["9007199254740991", "18446744073709551615"]) {
        assert.deepEqual((await server.get(`${run.path}/log?from_seq=${count}`)).json, { log: [] });
        assert.equal((await server.get(`/v1/runs?limit=${count}`)).json.runs.length, 1);
      }
    } finally {
      await server.stop();
    }
  });
});

void describe("a store that cannot be written", () => {
  it("is answered as unavailable, without naming a file", async () => {
    const server = await TestServer.start();
    try {
      const run = await server.open();
      const lock = join(server.dir, "lock");
      const held = JSON.parse(await readFile(lock, "utf8")) as object;
      await writeFile(lock, JSON.stringify({ ...held, nonce: randomUUID() }));
      // The store looks at its lock now and then, not for every write.
      let recorded = 0;
      let refused: Answer;
      do refused = await run.event(++recorded, "NowObserved", { now: "2026-01-01T00:00:00Z" });
      while (refused.status === 200);
      for (const { status, json, headers, text } of [refused, await server.get("/readyz")]) {
        assert.equal(status, 503);
        assert.equal(json.error.code, "store_unavailable");
        assert.ok(headers.has("retry-after"));
        assert.ok(!text.includes(server.dir), text);
      }
      assert.equal((await run.log()).length, recorded);
    } finally {
      await server.stop();
    }
  });
});
