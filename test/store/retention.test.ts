import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { envelopeOf } from "#salvor/log/events.js";
import { keepFor, openLowdbStore, openPostgresStore, type EventStore } from "#salvor/store/index.js";
import { TestPostgres } from "../support/postgres.js";

const NOW = new Date("2026-06-30T00:00:00.000Z");

function daysAgo(days: number): string {
  return new Date(NOW.getTime() - days * 86_400_000).toISOString();
}

/** A run with events as old as given, of which the last ends it. */
async function runOf(store: EventStore, days: readonly number[], ended: boolean): Promise<string> {
  const run = crypto.randomUUID();
  const log = days.map((day, seq) => {
    if (seq === 0) {
      const payload = { agent_def_hash: "sha256:desk", input: null };
      return envelopeOf(run, seq, daysAgo(day), { kind: "RunStarted", payload });
    }
    if (ended && seq === days.length - 1) {
      return envelopeOf(run, seq, daysAgo(day), { kind: "RunCompleted", payload: { output: "old" } });
    }
    return envelopeOf(run, seq, daysAgo(day), { kind: "NowObserved", payload: { now: "now" } });
  });
  await store.append(run, log);
  return run;
}

async function erasesWhatEndedLongAgo(store: EventStore): Promise<void> {
  const old = [await runOf(store, [90, 31], true), await runOf(store, [40, 40], true)];
  const kept = [
    await runOf(store, [90, 29], true),
    await runOf(store, [90, 90], false),
    await runOf(store, [1, 1], true),
  ];
  let erased = 0;
  const stop = keepFor(store, {
    days: 30,
    now: () => NOW,
    onErased: (count) => {
      erased += count;
    },
    onProblem: (error) => {
      assert.fail(String(error));
    },
  });
  while (erased < old.length) await new Promise((soon) => setImmediate(soon));
  await stop();
  for (const run of old) assert.equal((await store.readRun(run))?.erased, true);
  for (const run of kept) assert.equal((await store.readLog(run)).length, 2);
  assert.equal(erased, old.length);
}

describe("what is kept for 30 days", () => {
  it("goes from a folder when its run ended before that, and nothing else does", async () => {
    const dir = await mkdtemp(join(tmpdir(), "salvor-retain-"));
    const store = await openLowdbStore({ dir });
    try {
      await erasesWhatEndedLongAgo(store);
    } finally {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    }
  });

  it("goes from a database likewise", async () => {
    const postgres = await TestPostgres.start();
    try {
      const store = await openPostgresStore(await postgres.createDatabase());
      try {
        await erasesWhatEndedLongAgo(store);
      } finally {
        await store.close();
      }
    } finally {
      await postgres.stop();
    }
  });
});
