import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { pino, type Logger } from "pino";
import { AppState, type Limits } from "#salvor/server/index.js";
import { InFlight } from "#salvor/server/in-flight.js";
import { DEFAULT_LIMITS, limit } from "#salvor/server/limits.js";
import { openLowdbStore } from "#salvor/store/index.js";
import { EventStream } from "../support/event-stream.js";
import { exchange } from "../support/exchange.js";
import { answersIn } from "../support/raw-answers.js";
import { TestServer } from "../support/test-server.js";

const GET_RUNS = "GET /v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n";

void describe("a server that is short of time", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({
      limits: { headersMs: 150, requestMs: 300, keepAliveMs: 200, stallMs: 400 },
    });
  });
  after(() => server.stop());

  for (const [what, sent] of [
    ["that never says anything", ""],
    ["whose headers do not end", "GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    [
      "whose body does not end",
      "POST /v1/client-runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    ],
    [
      "whose chunks do not end",
      "POST /v1/client-runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    ],
  ] as const) {
    it(`tells a client ${what} to send it again: what a network held up was not refused`, async () => {
      const [answer, ...more] = answersIn(await exchange(server.url, sent));
      assert.deepEqual([answer?.status, answer?.code, more.length], [503, "store_unavailable", 0]);
      assert.equal(answer?.headers.get("connection"), "close");
    });
  }

  it("closes a connection on which nothing further is asked", async () => {
    const [answer, ...more] = answersIn(await exchange(server.url, GET_RUNS), "GET /v1/runs");
    assert.deepEqual([answer?.status, more.length], [200, 0]);
  });
});

void describe("a reader who does not take its answer", () => {
  it("is let go of, and nobody who waits for one", async () => {
    const own = await bareServer({ stallMs: 100 });
    const { server: bare, url } = own;
    let answer = (): void => undefined;
    bare.on("request", (request, response) => {
      if (request.url === "/much") response.end("x".repeat(32_000_000));
      else answer = () => response.end("at last");
    });
    try {
      const waiting = fetch(`${url}/later`);
      await once(bare, "request");
      const { hostname, port } = new URL(url);
      const stalled = connect(Number(port), hostname);
      stalled.on("error", () => undefined);
      const [socket] = (await once(bare, "connection")) as [Socket];
      stalled.write("GET /much HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await once(socket, "close");
      stalled.destroy();
      answer();
      assert.equal(await (await waiting).text(), "at last");
    } finally {
      await own.stop();
    }
  });
});

void describe("a server with as many connections as it takes", () => {
  let server: TestServer;
  const sockets: Socket[] = [];
  before(async () => {
    server = await TestServer.start({ limits: { connections: 3 } });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => server.stop());

  async function hold(): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(GET_RUNS);
    await once(socket, "data");
    return socket;
  }

  it("tells the next one to come back, in the error envelope, and takes it when there is room", async () => {
    const held = [await hold(), await hold(), await hold()];
    const [refused] = answersIn(await exchange(server.url, GET_RUNS), "GET /v1/runs");
    assert.deepEqual([refused?.status, refused?.code], [503, "store_unavailable"]);
    assert.equal(refused?.headers.get("retry-after"), "1");
    assert.equal(refused.headers.get("connection"), "close");
    // Those that were there before are served on.
    held[0]?.write(GET_RUNS);
    const [more] = (await once(held[0]!, "data")) as [Buffer];
    assert.match(more.toString(), /^HTTP\/1\.1 200 /);

    held[1]?.destroy();
    let again: string;
    do again = await exchange(server.url, GET_RUNS.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    while (!again.startsWith("HTTP/1.1 200 "));
  });

  it("tells so too when nothing is asked", async () => {
    for (let each = 0; each < 3; each += 1) await hold();
    const [refused] = answersIn(await exchange(server.url, ""));
    assert.deepEqual([refused?.status, refused?.code], [503, "store_unavailable"]);
  });
});

void describe("a server with as many event streams as it takes", () => {
  it("refuses the next, and takes it when one has ended", async () => {
    const server = await TestServer.start({ maxStreams: 2 });
    try {
      const run = await server.open();
      const path = `/v1/runs/${run.id}/events?follow=1`;
      const [one, other] = [
        await EventStream.open(server.url + path),
        await EventStream.open(server.url + path),
      ];
      const refused = await server.get(path);
      assert.deepEqual([refused.status, refused.json.error.code], [503, "store_unavailable"]);
      assert.equal((await run.event(1, "NowObserved", { now: "2026-01-01T00:00:00Z" })).status, 200);
      one.leave();
      let third: Response;
      do third = await fetch(server.url + path);
      while (third.status === 503 && (await third.text()) !== "");
      assert.equal(third.status, 200);
      await run.event(2, "RunFailed", { error: "e" });
      assert.match(await third.text(), /event: end/);
      assert.deepEqual((await other.rest()).seqs, [0, 1, 2]);
    } finally {
      await server.stop();
    }
  });
});

void describe("a flood of runs", () => {
  const COUNT = process.env.SALVOR_SOAK === "1" ? 50_000 : 1_000;
  it(`is taken, ${COUNT} of them from 50 clients at once, and the server goes on`, async () => {
    const server = await TestServer.start();
    try {
      let left = COUNT;
      const client = async () => {
        while (left-- > 0) assert.equal((await server.post("/v1/client-runs", {})).status, 201);
      };
      await Promise.all(Array.from({ length: 50 }, client));
      assert.deepEqual((await server.get("/v1/runs")).json, { runs: [] });
      assert.equal((await (await server.open()).intent(1, "charge_card", { cents: 1 })).status, 200);
    } finally {
      await server.stop();
    }
  });
});

void describe("a flood of connections", () => {
  it("is dropped beyond those who are told, counted, and spoken of once", async () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const own = await bareServer({}, logger);
    own.server.maxConnections = 1;
    const { hostname, port } = new URL(own.url);
    const held = connect(Number(port), hostname);
    await once(own.server, "connection");
    try {
      for (let each = 0; each < 3; each += 1) await assert.rejects(fetch(own.url));
      const { text } = await own.state.observer.metrics.read();
      assert.match(text, /^salvor_dropped_connections_total 3$/m);
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as { dropped: number }).dropped),
        [1],
      );
    } finally {
      held.destroy();
      await own.stop();
    }
  });
});

async function bareServer(limits: Partial<Limits>, logger?: Logger) {
  const dir = await mkdtemp(join(tmpdir(), "salvor-limits-"));
  const store = await openLowdbStore({ dir });
  const inFlight = new InFlight();
  const server = createServer((request, response) => {
    inFlight.add(request, response);
  });
  const state = new AppState({ store, ...(logger && { logger }) });
  limit(server, { ...DEFAULT_LIMITS, ...limits }, state, inFlight);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    server,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
