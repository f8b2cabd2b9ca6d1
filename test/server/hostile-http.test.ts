import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { answersIn } from "../support/raw-answers.js";
import { exchange } from "../support/exchange.js";
import { TestServer } from "../support/test-server.js";

const HOST = "Host: localhost\r\n";
const CLOSE = "Connection: close\r\n";

/** A request of a hand-made kind. */
function request(line: string, headers = "", body = ""): string {
  return `${line}\r\n${HOST}${headers}${body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`;
}

void describe("a hostile request", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.stop());

  for (const [what, sent, status, code] of [
    ["an unknown method", request("BREW /v1/runs HTTP/1.1", CLOSE), 400, "bad_request"],
    ["a method that the path has not", request("DELETE /v1/runs HTTP/1.1", CLOSE), 405, "method_not_allowed"],
    ["no such version", request("GET /v1/runs HTTP/3.7", CLOSE), 400, "bad_request"],
    [
      "two lengths",
      request("POST /v1/client-runs HTTP/1.1", "Content-Length: 1\r\nContent-Length: 2\r\n"),
      400,
      "bad_request",
    ],
    [
      "a length and chunks",
      request("POST /v1/client-runs HTTP/1.1", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400,
      "bad_request",
    ],
    [
      "a length that is no number",
      request("POST /v1/client-runs HTTP/1.1", "Content-Length: -1\r\n"),
      400,
      "bad_request",
    ],
    [
      "a chunk that has no size",
      request("POST /v1/client-runs HTTP/1.1", "Transfer-Encoding: chunked\r\n") + "zz\r\n",
      400,
      "bad_request",
    ],
    [
      "an encoding that nobody knows",
      request("POST /v1/client-runs HTTP/1.1", `${CLOSE}Content-Encoding: zstd\r\n`, "{}"),
      400,
      "bad_request",
    ],
    [
      "an encoding that it does not have",
      request("POST /v1/client-runs HTTP/1.1", `${CLOSE}Content-Encoding: gzip\r\n`, "{}"),
      400,
      "bad_request",
    ],
    [
      "headers beyond 16 KiB",
      request("GET /v1/runs HTTP/1.1", `X: ${"x".repeat(20_000)}\r\n`),
      400,
      "bad_request",
    ],
    [
      "a header that is folded into the next line",
      request("GET /v1/runs HTTP/1.1", "X: a\r\n b\r\n"),
      400,
      "bad_request",
    ],
    [
      "a header with a control character",
      request("GET /v1/runs HTTP/1.1", "X: \u0001\r\n"),
      400,
      "bad_request",
    ],
    ["dots in its path", request("GET /v1/client-runs/../runs HTTP/1.1", CLOSE), 404, "not_found"],
    ["encoded slashes in its path", request("GET /v1%2Fruns HTTP/1.1", CLOSE), 404, "not_found"],
    ["an encoded slash in its id", request("GET /v1/runs/..%2F..%2Fetc HTTP/1.1", CLOSE), 400, "bad_request"],
    ["an id that is badly encoded", request("GET /v1/runs/%zz HTTP/1.1", CLOSE), 400, "bad_request"],
    ["an empty id", request("GET /v1/runs//replay HTTP/1.1", CLOSE), 404, "not_found"],
    ["two slashes at the front", request("GET //v1/runs HTTP/1.1", CLOSE), 404, "not_found"],
    ["two slashes and a host", request("GET //evil.example/v1/runs HTTP/1.1", CLOSE), 404, "not_found"],
    ["a star for its path", request("OPTIONS * HTTP/1.1", CLOSE), 404, "not_found"],
    ["a null byte in its path", request("GET /v1/runs/%00 HTTP/1.1", CLOSE), 400, "bad_request"],
    ["a path of 12 KiB", request(`GET /v1/${"a".repeat(12_000)} HTTP/1.1`, CLOSE), 404, "not_found"],
    ["a query that is badly encoded", request("GET /v1/runs?status=%zz HTTP/1.1", CLOSE), 400, "bad_request"],
    [
      "two drive tokens",
      request(
        "POST /v1/client-runs/00000000-0000-4000-8000-00000000000a/events HTTP/1.1",
        `${CLOSE}X-Drive-Token: a\r\nX-Drive-Token: b\r\n`,
        "{}",
      ),
      404,
      "unknown_run",
    ],
  ] as const) {
    it(`with ${what} is ${status} ${code} in the error envelope`, async () => {
      const answers = answersIn(await exchange(server.url, sent), sent);
      assert.deepEqual(
        answers.map((answer) => [answer.status, answer.code]),
        [[status, code]],
      );
      assert.equal((await server.get("/healthz")).status, 200);
    });
  }

  for (const [what, sent] of [
    ["in the absolute form", request("GET http://localhost/v1/runs HTTP/1.1", CLOSE)],
    [
      "to become a WebSocket",
      request("GET /v1/runs HTTP/1.1", "Connection: close, Upgrade\r\nUpgrade: websocket\r\n"),
    ],
    ["in HTTP/1.0 that wants to be kept", "GET /v1/runs HTTP/1.0\r\n\r\n"],
    ["with 3 000 headers", request("GET /v1/runs HTTP/1.1", `${"a:\r\n".repeat(3000)}${CLOSE}`)],
  ] as const) {
    it(`${what} is served as what it is`, async () => {
      assert.deepEqual(
        answersIn(await exchange(server.url, sent), "GET /v1/runs").map(({ status }) => status),
        [200],
      );
    });
  }

  it("with more than 2 000 headers in front of its origin does not hide that", async () => {
    const sent = request(
      "GET /v1/runs HTTP/1.1",
      `${"a:\r\n".repeat(3000)}Origin: https://evil.example\r\n${CLOSE}`,
    );
    const [answer] = answersIn(await exchange(server.url, sent), "GET /v1/runs");
    assert.equal(answer?.code, "forbidden_origin");
  });

  it("behind a good one on the same connection does not take that one's answer", async () => {
    const good = request("POST /v1/client-runs HTTP/1.1", "", "{}");
    for (const bad of ["NONSENSE\r\n\r\n", request("GET /v1/runs HTTP/9.9"), "\u0000\u0001\u0002\r\n\r\n"]) {
      const answers = answersIn(await exchange(server.url, good + good + bad + bad), "POST /v1/client-runs");
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 400],
      );
    }
  });

  it("behind an open event stream does not get into it", async () => {
    const run = await server.open();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    socket.write(request(`GET /v1/runs/${run.id}/events?follow=1 HTTP/1.1`));
    while (!received.includes("id: 0")) await once(socket, "data");
    socket.write("NONSENSE\r\n\r\n");
    await run.event(1, "NowObserved", { now: "2026-01-01T00:00:00Z" });
    await run.event(2, "RunFailed", { error: "e" });
    await once(socket, "close");
    assert.doesNotMatch(received, /bad_request/);
  });

  it("that waits to be told to send its body is told, and one that ends early changes nothing", async () => {
    const run = await server.open();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const drive = `X-Drive-Token: ${run.token}\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n`;
    socket.write(request(`POST ${run.path}/events HTTP/1.1`, drive));
    const [told] = (await once(socket, "data")) as [Buffer];
    assert.match(told.toString(), /^HTTP\/1\.1 100 /);
    // Half of a body, and then no more: an end that is not the whole.
    socket.end('{"events":[');
    const [answer] = answersIn(((await once(socket, "data")) as [Buffer])[0].toString());
    assert.deepEqual([answer?.status, answer?.code], [400, "bad_request"]);
    assert.equal((await run.log()).length, 1);
  });

  it("whose sender goes away within it is forgotten, with what it was to record", async () => {
    const run = await server.open();
    const { hostname, port } = new URL(server.url);
    for (let time = 0; time < 20; time += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(
        request(
          `POST ${run.path}/events HTTP/1.1`,
          `X-Drive-Token: ${run.token}\r\nContent-Length: 1000\r\n`,
        ),
      );
      socket.write('{"events":[', () => socket.resetAndDestroy());
      await once(socket, "close");
    }
    assert.equal((await run.event(1, "NowObserved", { now: "2026-01-01T00:00:00Z" })).status, 200);
    assert.equal((await run.log()).length, 2);
  });

  it("that inflates beyond the bound is too large, without being held", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
    const answer = await server.call("POST", "/v1/client-runs", {
      raw: new Uint8Array(bomb),
      headers: { "content-encoding": "gzip" },
    });
    assert.deepEqual([answer.status, answer.json.error.code], [413, "payload_too_large"]);
  });

  it("of a client that closes its half after it is let go of", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.end(request("GET /v1/runs HTTP/1.1"));
    socket.resume();
    await once(socket, "end");
    socket.destroy();
  });
});
