import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";
import { AppState, createApp } from "#salvor/server/index.js";
import { openLowdbStore, type EventStore } from "#salvor/store/index.js";

const MEGABYTE = "x".repeat(1024 * 1024);

void describe("an open event stream", () => {
  let dir: string;
  let store: EventStore;
  let state: AppState;
  let server: Server;
  let answers: ServerResponse[];

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "salvor-stream-"));
    store = await openLowdbStore({ dir });
    state = new AppState({ store });
    const handle = createApp(state).callback();
    answers = [];
    server = createServer((request, response) => {
      answers.push(response);
      void handle(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  async function append(run: string, seq: number, event: RunEvent): Promise<void> {
    await store.append(run, [envelopeOf(run, seq, "2026-01-01T00:00:00.000Z", event)]);
  }

  async function started(): Promise<string> {
    const run = randomUUID();
    await append(run, 0, { kind: "RunStarted", payload: { agent_def_hash: "a", input: null } });
    return run;
  }

  async function reader(run: string): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo;
    const request = get({ port, host: "127.0.0.1", path: `/v1/runs/${run}/events?follow=1`, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return response;
  }

  it("holds no more for a reader who is slow than what it is sending, and slows no writer", async () => {
    const run = await started();
    const response = await reader(run);
    response.pause();
    const count = 48;
    for (let seq = 1; seq <= count; seq += 1) {
      await append(run, seq, { kind: "NowObserved", payload: { now: MEGABYTE } });
      const waiting = answers[0]?.writableLength ?? 0;
      assert.ok(waiting < 4 * MEGABYTE.length, `${waiting} bytes wait`);
    }
    await append(run, count + 1, { kind: "RunFailed", payload: { error: "x" } });
    let text = "";
    response.setEncoding("utf8");
    for await (const chunk of response) text += chunk as string;
    const seqs = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    assert.deepEqual(
      seqs,
      Array.from({ length: count + 2 }, (_, seq) => seq),
    );
    assert.match(text, /event: end\ndata: [^\n]+\n\n$/);
  });

  it("is forgotten when its reader goes away, at once and without a further event", async () => {
    const run = await started();
    const readers = await Promise.all(Array.from({ length: 20 }, () => reader(run)));
    for (const response of readers) await once(response, "readable");
    const open = (): number => state.streams.size;
    assert.equal(open(), readers.length);
    for (const response of readers) response.destroy();
    while (open() > 0) await nextTurn();
  });

  it("breaks off when the log cannot be read any more, so that nobody takes that for its end", async () => {
    const run = await started();
    const response = await reader(run);
    await once(response, "readable");
    const failing = once(response, "error");
    response.resume();
    store.readLog = () => Promise.reject(new Error("unreadable"));
    await append(run, 1, { kind: "NowObserved", payload: { now: "n" } });
    const [error] = (await failing) as [Error];
    assert.match(error.message, /aborted/);
    assert.equal(state.streams.size, 0);
  });

  it("is silent for 15 s at the most, unless something else is configured", () => {
    assert.ok(state.keepAliveMs <= 15_000);
  });
});
