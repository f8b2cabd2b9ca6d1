import { strict as assert } from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import { openLowdbStore, StoreUnavailable } from "#salvor/store/index.js";
import { PIECE_CHARS } from "#salvor/store/sealed-text.js";
import { fileSystem, type WriteLayer } from "#salvor/store/write-layer.js";

/** Libuv does the work of files in so many threads, unless it is told otherwise. */
const THREADS = 4;
const TEXT = "x".repeat(10_000);

/** The disk, and what a test wants to know of the documents that are written to it. */
function watched(beforeSync: (document: string) => Promise<void> = () => Promise.resolve()) {
  const seen = { pieces: [] as number[], underWay: 0, most: 0, documents: 0 };
  const layer: WriteLayer = {
    ...fileSystem,
    create: async (path) => {
      const name = basename(path);
      const file = await fileSystem.create(path);
      if (!name.includes(".json.")) return file;
      seen.documents += 1;
      seen.most = Math.max(seen.most, ++seen.underWay);
      return {
        append: (bytes) => {
          seen.pieces.push(bytes.byteLength);
          return file.append(bytes);
        },
        sync: async () => {
          await beforeSync(name);
          await file.sync();
        },
        close: () => {
          seen.underWay -= 1;
          return file.close();
        },
      };
    },
  };
  return { layer, seen };
}

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

function runId(index: number): string {
  return `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

function started(run: string): Envelope {
  const payload = { agent_def_hash: "x", input: null } as const;
  return envelopeOf(run, 0, "2026-01-01T00:00:00.000Z", { kind: "RunStarted", payload });
}

function completed(run: string, seq: number): Envelope {
  return envelopeOf(run, seq, "2026-01-01T00:00:00.000Z", {
    kind: "RunCompleted",
    payload: { output: null },
  });
}

function answer(run: string, seq: number): Envelope {
  const payload = { seq: seq - 1, output: TEXT };
  return envelopeOf(run, seq, "2026-01-01T00:00:00.000Z", { kind: "ToolCallCompleted", payload });
}

describe("a checkpoint", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "salvor-checkpoint-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it("holds no append up while its documents wait for the disk", async () => {
    const reached = gate();
    const disk = gate();
    const { layer, seen } = watched(async (document) => {
      // What an open writes is none of a run.
      if (!document.startsWith("0000")) return;
      reached.open();
      await disk.opened;
    });
    const store = await openLowdbStore({ dir, layer, idleMs: 1e9 });
    const over = runId(0);
    const other = runId(1);
    await store.append(over, [started(over), completed(over, 1)]);
    await store.append(other, [started(other)]);
    // An erasure is answered when a checkpoint is through.
    const erasing = store.erase(over);
    await reached.opened;
    for (let seq = 1; seq <= 20; seq += 1) await store.append(other, [answer(other, seq)]);
    assert.ok(seen.underWay > 0, "the checkpoint was over before");
    disk.open();
    await erasing;
    assert.equal((await store.readLog(other)).length, 21);
    await store.close();
  });

  it("writes long documents in pieces, and leaves half of the threads to the journal", async () => {
    const { layer, seen } = watched();
    const store = await openLowdbStore({ dir, layer, idleMs: 1e9 });
    for (let index = 0; index < 12; index += 1) {
      const run = runId(index);
      const answers = Array.from({ length: 60 }, (_, at) => answer(run, at + 1));
      // Names as long as they may be: what a run holds fills more than one piece too.
      const held = Array.from({ length: 2000 }, (_, at) => `${run}/${String(at).padStart(100, "0")}`);
      await store.append(run, [started(run), ...answers], {
        identities: held.map((identity) => ({ change: "claim", identity, seq: 1 })),
      });
    }
    await store.close();
    assert.ok(seen.documents > 12);
    assert.ok(seen.pieces.length > 3 * 12, "no document was long");
    const longest = Math.max(...seen.pieces);
    assert.ok(longest < PIECE_CHARS + 200_000, `a piece of ${longest} bytes`);
    assert.ok(seen.most <= THREADS / 2, `${seen.most} documents at the same time`);

    const again = await openLowdbStore({ dir, idleMs: 1e9 });
    for (let index = 0; index < 12; index += 1) {
      const run = runId(index);
      assert.equal((await again.readLog(run)).length, 61);
      const identity = `${run}/${String(1999).padStart(100, "0")}`;
      assert.deepEqual(await again.lookupCall(identity), { run_id: run, seq: 1, settled: false });
    }
    await again.close();
  });

  it("lets other work go on between any two of its steps", async () => {
    let turns = 0;
    let longest = 0;
    let since = 0;
    const { layer } = watched();
    const counted: WriteLayer = {
      ...layer,
      create: (path) => {
        longest = Math.max(longest, ++since);
        return layer.create(path);
      },
    };
    const store = await openLowdbStore({ dir, layer: counted, idleMs: 1e9 });
    for (let index = 0; index < 200; index += 1) await store.append(runId(index), [started(runId(index))]);
    since = 0;
    longest = 0;
    let over = false;
    const turn = (): void => {
      turns += 1;
      since = 0;
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await store.close();
    over = true;
    assert.ok(turns > 200);
    assert.ok(longest <= THREADS / 2, `${longest} files were begun in one turn of the event loop`);
  });

  it("has appends wait, in their order, when more is in memory than may be, and lets them go on as documents are written", async () => {
    const { open, opened } = gate();
    const { open: reach, opened: reached } = gate();
    const { layer } = watched(async (document) => {
      if (!document.startsWith("0000")) return;
      reach();
      await opened;
    });
    const store = await openLowdbStore({ dir, layer, idleMs: 1e9, tailBytes: 3 * TEXT.length });
    try {
      await store.append(runId(0), [started(runId(0))]);
      for (let seq = 1; seq <= 3; seq += 1) await store.append(runId(0), [answer(runId(0), seq)]);
      const waiting = [4, 5].map((seq) => store.append(runId(0), [answer(runId(0), seq)]));
      waiting.push(store.append(runId(1), [started(runId(1))]));
      await reached;
      // What adds nothing to a log is recorded meanwhile: the journal is free.
      await store.openRun(runId(2), "lease", { kind: "client", record_prompts: false });
      assert.equal((await store.readLog(runId(0))).length, 4);
      assert.equal((await store.readLog(runId(1))).length, 0);
      open();
      await Promise.all(waiting);
      assert.deepEqual(
        (await store.readLog(runId(0))).map(({ seq }) => seq),
        [0, 1, 2, 3, 4, 5],
      );
    } finally {
      open();
      await store.close();
    }
  });

  it("that fails has those who wait for it refused, and the next append tries again", async () => {
    let fails = true;
    const { layer } = watched((document) =>
      fails && document.startsWith("0000") ? Promise.reject(new Error("no space")) : Promise.resolve(),
    );
    const store = await openLowdbStore({ dir, layer, idleMs: 1e9, tailBytes: TEXT.length });
    try {
      await store.append(runId(0), [started(runId(0))]);
      await store.append(runId(0), [answer(runId(0), 1)]);
      await assert.rejects(store.append(runId(0), [answer(runId(0), 2)]), (error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /cannot be moved into documents: no space/);
        return true;
      });
      fails = false;
      await store.append(runId(0), [answer(runId(0), 2)]);
      assert.equal((await store.readLog(runId(0))).length, 3);
    } finally {
      await store.close();
    }
  });
});
