import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";
import { fold } from "#salvor/log/fold.js";
import { Divergence } from "#salvor/runtime/divergence.js";
import { Recorder } from "#salvor/runtime/recorder.js";
import { LeaseLost, openLowdbStore, type EventStore } from "#salvor/store/index.js";

const STARTED: RunEvent = { kind: "RunStarted", payload: { agent_def_hash: "sha256:a", input: null } };
const SLEEP: RunEvent = { kind: "SleepStarted", payload: { until: "2026-01-01T00:00:00Z" } };
const WAKE: RunEvent = { kind: "SleepCompleted", payload: {} };
const END: RunEvent = { kind: "RunCompleted", payload: { output: "x".repeat(1000) } };
const NOW = "2026-03-04T05:06:07.008Z";

describe("the recorder", () => {
  let dir: string;
  let store: EventStore;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "salvor-recorder-"));
    store = await openLowdbStore({ dir });
  });
  after(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("stamps every event itself, places it at the next position, and has it durable when it answers", async () => {
    const recorder = new Recorder(store, { now: () => new Date(NOW) });
    const run = randomUUID();
    await recorder.within(run, undefined, (desk) => desk.append([STARTED, SLEEP]));
    const placed = [STARTED, SLEEP].map((event, seq) => envelopeOf(run, seq, NOW, event));
    assert.deepEqual(await store.readLog(run), placed);
  });

  it("writes nothing of an append of which the guard refuses one event, and goes on from where it was", async () => {
    const recorder = new Recorder(store);
    const run = randomUUID();
    await recorder.within(run, undefined, async (desk) => {
      await desk.append([STARTED]);
      await assert.rejects(desk.append([SLEEP, WAKE, WAKE]), (error: unknown) => {
        assert.ok(error instanceof Divergence);
        assert.match(error.message, /rule 10 .*position 3/);
        assert.equal(error.details?.rule, 10);
        return true;
      });
      assert.equal(desk.state.nextSeq, 1);
      await desk.append([SLEEP]);
    });
    assert.equal((await store.readLog(run)).length, 2);
  });

  it("judges the position that the caller means, not the next one", async () => {
    const recorder = new Recorder(store);
    const run = randomUUID();
    await recorder.within(run, undefined, async (desk) => {
      await desk.append([STARTED]);
      await assert.rejects(desk.append([SLEEP], {}, 5), /rule 2 .*found seq 5, expected seq 1/);
    });
  });

  it("lets a driver on only while its lease is current, when it enters and again when it appends", async () => {
    const recorder = new Recorder(store);
    const run = randomUUID();
    const ownership = { kind: "client", record_prompts: false } as const;
    await store.openRun(run, "first", ownership);
    await recorder.within(run, "first", (desk) => desk.append([STARTED]));
    await assert.rejects(
      recorder.within(run, "first", async (desk) => {
        await store.openRun(run, "second", ownership);
        await desk.append([SLEEP]);
      }),
      LeaseLost,
    );
    await assert.rejects(
      recorder.within(run, "first", () => Promise.resolve()),
      LeaseLost,
    );
    assert.equal((await store.readLog(run)).length, 1);
  });

  it("folds what another recorder on the same store appended meanwhile", async () => {
    const [one, two] = [new Recorder(store), new Recorder(store)];
    const run = randomUUID();
    await one.within(run, undefined, (desk) => desk.append([STARTED]));
    assert.equal((await two.state(run)).nextSeq, 1);
    await one.within(run, undefined, (desk) => desk.append([SLEEP, END]));
    const state = await two.state(run);
    assert.deepEqual(state, fold(await store.readLog(run)));
    assert.deepEqual(await one.state(run), state);
  });
});
