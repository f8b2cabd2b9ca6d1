import { strict as assert } from "node:assert";
import { cp, mkdtemp, readdir, readFile, rm, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import { claiming } from "#salvor/store/append-unit.js";
import { FormatTooNew, openLowdbStore, RunErased, StoreCorrupt, TamperEvident } from "#salvor/store/index.js";
import { MemoryDisk } from "./disk/memory-disk.js";
import { Random } from "./disk/random.js";
import { sessionOn } from "./disk/sessions.js";

const ONE = "11111111-0000-4000-8000-000000000000";
const TWO = "22222222-0000-4000-8000-000000000000";
const IDENTITY = "sha256:held";
const folders: string[] = [];

after(async () => {
  for (const dir of folders) await rm(dir, { recursive: true, force: true });
});

function event(run: string, seq: number): Envelope {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString();
  return seq === 0
    ? envelopeOf(run, 0, at, { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } })
    : envelopeOf(run, seq, at, { kind: "NowObserved", payload: { now: `event ${seq}` } });
}

/** Two runs in documents, the second one holding an identity. */
async function filledFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "salvor-damage-"));
  folders.push(dir);
  const store = await openLowdbStore({ dir });
  for (const run of [ONE, TWO])
    for (let seq = 0; seq < 5; seq += 1) await store.append(run, [event(run, seq)]);
  await store.append(TWO, [event(TWO, 5)], claiming(IDENTITY, 5));
  await store.close();
  return dir;
}

function documentOf(dir: string, run: string): string {
  return join(dir, "runs", run.slice(0, 2), `${run}.json`);
}

/** A journal of five batches on a disk in memory, whose process was killed; answers where its file lies. */
async function journalOnly(): Promise<{ readonly disk: MemoryDisk; readonly file: string }> {
  const disk = new MemoryDisk();
  const session = sessionOn(disk, new Random(1));
  const store = await session.open();
  for (let seq = 0; seq < 5; seq += 1) await store.append(ONE, [event(ONE, seq)]);
  session.layer.stopped = true;
  return { disk, file: "/data/journal/000001.jsonl" };
}

async function reopen(disk: MemoryDisk): Promise<number> {
  const store = await sessionOn(disk, new Random(1)).open();
  const { length } = await store.readLog(ONE);
  await store.close();
  return length;
}

describe("a damaged journal", () => {
  it("is cut to whole batches when it ends anywhere in its last one", async () => {
    const { disk: whole, file } = await journalOnly();
    const text = whole.file(file).bytes.toString("latin1");
    const last = text.lastIndexOf('{"batch":');
    for (let end = last; end < text.length; end += 3) {
      const { disk } = await journalOnly();
      disk.file(file).bytes = disk.file(file).bytes.subarray(0, end);
      assert.equal(await reopen(disk), 4, `cut at ${end}`);
      assert.equal(await reopen(disk), 4);
    }
  });

  it("stops the start when any bit before its last batch is another one, and changes nothing", async () => {
    const { disk: whole, file } = await journalOnly();
    const { length } = whole.file(file).bytes;
    const last = whole.file(file).bytes.lastIndexOf('{"batch":');
    for (let at = 0; at < last; at += 7) {
      const { disk } = await journalOnly();
      const { bytes } = disk.file(file);
      bytes[at]! ^= 1 << (at % 8);
      await assert.rejects(sessionOn(disk, new Random(1)).open(), (error) => {
        assert.ok(error instanceof StoreCorrupt, `byte ${at}: ${String(error)}`);
        assert.equal(error.file, file);
        assert.ok(error.offset <= at);
        assert.match(error.message, /byte \d+: .*Nothing was changed.*restore it from a backup/);
        return true;
      });
      assert.equal(disk.file(file).bytes.length, length);
      bytes[at]! ^= 1 << (at % 8);
      assert.equal(await reopen(disk), 5);
    }
  });

  it("stops the start when one of its files is gone", async () => {
    const dir = await filledFolder();
    for (const name of await readdir(join(dir, "journal"))) await unlink(join(dir, "journal", name));
    await assert.rejects(openLowdbStore({ dir }), StoreCorrupt);
  });
});

describe("a damaged document", () => {
  it("makes its own run unreadable, naming run and seq, whichever byte it is, and no other", async () => {
    const dir = await filledFolder();
    const file = documentOf(dir, ONE);
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += 41) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 4;
      await writeFile(file, changed);
      const store = await openLowdbStore({ dir });
      assert.equal((await store.readLog(TWO)).length, 6);
      const { runs } = await store.summaries();
      assert.deepEqual(
        runs.map(({ run, content, eventCount }) => [run, content !== undefined, eventCount]),
        [
          [ONE, false, 5],
          [TWO, true, 6],
        ],
      );
      await assert.rejects(store.readLog(ONE), (error) => {
        assert.ok(error instanceof TamperEvident);
        assert.equal(error.run, ONE);
        assert.ok(error.seq >= 0 && error.seq <= 5);
        return true;
      });
      await assert.rejects(store.append(ONE, [event(ONE, 5)]), TamperEvident);
      await store.close();
      assert.deepEqual(await readFile(file), changed, "the evidence was written over");
      await writeFile(file, bytes);
    }
    const store = await openLowdbStore({ dir });
    assert.equal((await store.readLog(ONE)).length, 5);
    await store.close();
  });

  it("is found at the very event that was changed, also when the whole file was written anew", async () => {
    const dir = await filledFolder();
    const file = documentOf(dir, ONE);
    const data = JSON.parse((await readFile(file, "utf8")).replace("event 3", "event X")) as object;
    await writeFile(file, JSON.stringify(data, null, 4));
    const store = await openLowdbStore({ dir });
    await assert.rejects(store.readLog(ONE), { name: "TamperEvident", run: ONE, seq: 3 });
    await store.close();
  });

  it("is found when it was truncated, emptied or removed", async () => {
    for (const harm of [
      (file: string) => truncate(file, 300),
      (file: string) => truncate(file, 0),
      (file: string) => unlink(file),
    ]) {
      const dir = await filledFolder();
      await harm(documentOf(dir, ONE));
      const store = await openLowdbStore({ dir });
      await assert.rejects(store.readLog(ONE), TamperEvident);
      assert.equal((await store.readLog(TWO)).length, 6);
      await store.close();
    }
  });

  it("is found when an older one was put in its place", async () => {
    const dir = await filledFolder();
    const older = await readFile(documentOf(dir, ONE));
    const store = await openLowdbStore({ dir });
    await store.append(ONE, [event(ONE, 5)]);
    await store.close();
    await writeFile(documentOf(dir, ONE), older);
    const again = await openLowdbStore({ dir });
    await assert.rejects(again.readLog(ONE), TamperEvident);
    await again.close();
  });

  it("does not free the identities of its run, even when the index is gone too", async () => {
    const dir = await filledFolder();
    const text = await readFile(documentOf(dir, TWO), "utf8");
    await writeFile(documentOf(dir, TWO), text.replace("event 3", "event x"));
    await rm(join(dir, "index"), { recursive: true });
    const store = await openLowdbStore({ dir });
    await assert.rejects(store.readLog(TWO), TamperEvident);
    assert.deepEqual(await store.lookupCall(IDENTITY), { run_id: TWO, seq: 5, settled: false });
    await store.close();
  });
});

describe("a run whose document is damaged while its journal is full", () => {
  it("keeps its identities and the damaged document, and the journal goes on", async () => {
    const disk = new MemoryDisk();
    const first = sessionOn(disk, new Random(1));
    const store = await first.open();
    await store.append(ONE, [event(ONE, 0)]);
    await store.close();
    const second = sessionOn(disk, new Random(1));
    const again = await second.open();
    await again.append(ONE, [event(ONE, 1)], claiming(IDENTITY, 1));
    second.layer.stopped = true;
    const file = disk.file(`/data/runs/11/${ONE}.json`);
    file.bytes[file.bytes.indexOf("RunStarted")]! ^= 1;
    file.changedAt += 1;
    const damaged = Buffer.from(file.bytes);
    for (let round = 0; round < 3; round += 1) {
      const next = await sessionOn(disk, new Random(1)).open();
      await assert.rejects(next.readLog(ONE), TamperEvident);
      assert.deepEqual(await next.lookupCall(IDENTITY), { run_id: ONE, seq: 1, settled: false });
      await next.append(TWO, [event(TWO, round)]);
      await next.close();
      for (const name of [...disk.folder("/data/index").entries.keys()]) disk.unlink(name);
    }
    assert.deepEqual(disk.file(`/data/runs/11/${ONE}.json`).bytes, damaged);
  });
});

describe("a damaged index", () => {
  for (const [harm, apply] of [
    ["deleted", (dir: string) => rm(join(dir, "index"), { recursive: true })],
    ["truncated", (dir: string) => truncate(join(dir, "index", "000000.json"), 100)],
    ["changed in one byte", (dir: string) => flip(join(dir, "index", "000000.json"), 200)],
  ] as const) {
    it(`is made again from the documents when it was ${harm}`, async () => {
      const dir = await filledFolder();
      const store = await openLowdbStore({ dir });
      const before = await store.summaries();
      await store.close();
      await apply(dir);
      for (let round = 0; round < 2; round += 1) {
        const again = await openLowdbStore({ dir });
        assert.deepEqual(await again.summaries(), before);
        assert.deepEqual(await again.lookupCall(IDENTITY), { run_id: TWO, seq: 5, settled: false });
        await again.close();
      }
    });
  }
});

describe("a folder of another version", () => {
  it("is refused when it is newer, saying what to do", async () => {
    const dir = await filledFolder();
    const file = join(dir, "store.json");
    await writeFile(file, (await readFile(file, "utf8")).replace('"format": 1', '"format": 2'));
    await assert.rejects(openLowdbStore({ dir }), (error) => {
      assert.ok(error instanceof FormatTooNew);
      assert.match(error.message, /format 2.*up to format 1.*start the newer salvor/);
      return true;
    });
  });

  it("is refused when it has runs and does not say what it is", async () => {
    const dir = await filledFolder();
    await unlink(join(dir, "store.json"));
    await assert.rejects(openLowdbStore({ dir }), /store\.json.*is missing, and the folder is not empty/);
  });
});

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at]! ^= 1;
  await writeFile(file, bytes);
}

describe("a folder that was copied", () => {
  it("is the same to its store, erased runs included, although every file has another time", async () => {
    const dir = await filledFolder();
    const ended = envelopeOf(ONE, 5, "2026-01-01T00:01:00Z", {
      kind: "RunCompleted",
      payload: { output: 1 },
    });
    const store = await openLowdbStore({ dir });
    await store.append(ONE, [ended], claiming("sha256:erased", 5));
    await store.erase(ONE);
    await store.close();
    const copy = await mkdtemp(join(tmpdir(), "salvor-damage-"));
    folders.push(copy);
    await cp(dir, copy, { recursive: true });
    for (let round = 0; round < 2; round += 1) {
      const copied = await openLowdbStore({ dir: copy });
      assert.equal((await copied.readLog(TWO)).length, 6);
      const ownership = { kind: "client", record_prompts: false } as const;
      await assert.rejects(copied.openRun(ONE, "lease", ownership), RunErased);
      assert.deepEqual(await copied.lookupCall("sha256:erased"), { run_id: ONE, seq: 5, settled: false });
      await copied.close();
      await rm(join(copy, "index"), { recursive: true });
    }
  });
});
