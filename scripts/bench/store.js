// How fast the default store is, against the raw append + fdatasync rate of the same disk in the same round, against SQLite,
// and on a disk whose sync takes 4 ms; what one append costs late in a long run; and how long a checkpoint holds appends up.
// `npm run bench -- store`, about two minutes. SALVOR_BENCH_DIR chooses the disk. SQLite: npm ci --prefix scripts/bench.
import { randomUUID } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openLowdbStore } from "../../dist/store/index.js";
import { event } from "./lib/events.js";
import { checkpointPause } from "./lib/pause.js";
import { quartiles } from "../lib/quartiles.js";
import { rate } from "./lib/rates.js";
import { SYNC_MS, slowDisk } from "./lib/slow-disk.js";
import { loadSqlite, sqliteRates } from "./lib/sqlite.js";

const ROUNDS = Number(process.env.SALVOR_BENCH_ROUNDS ?? 5);
const MILLISECONDS = Number(process.env.SALVOR_BENCH_MS ?? 500);
const CALLERS = [1, 16, 64, 256];

/** Appends and syncs as long as the clock allows, one after the other; answers how often per second. */
async function rawRate(dir, sync) {
  const path = join(dir, "raw");
  const file = await open(path, "a");
  const line = Buffer.from(`${JSON.stringify(event(randomUUID(), 1))}\n`.padEnd(500, " "));
  try {
    return await rate(1, MILLISECONDS, async () => {
      await file.write(line);
      await sync(file);
    });
  } finally {
    await file.close();
    await rm(path);
  }
}

async function appendRate(dir, callers, layer) {
  const store = await openLowdbStore({ dir: join(dir, `store-${randomUUID()}`), ...(layer && { layer }) });
  const runs = Array.from({ length: callers }, () => ({ id: randomUUID(), seq: 0 }));
  try {
    return await rate(callers, MILLISECONDS, async (caller) => {
      const run = runs[caller];
      await store.append(run.id, [event(run.id, run.seq++)]);
    });
  } finally {
    await store.close();
  }
}

/** The cost of one append of a lone caller, in microseconds, when the run is as long as given. */
async function costAt(store, run, from, count) {
  const start = performance.now();
  for (let seq = from; seq < from + count; seq += 1) await store.append(run, [event(run, seq)]);
  return ((performance.now() - start) * 1000) / count;
}

async function longRun(dir) {
  const store = await openLowdbStore({ dir: join(dir, "long") });
  const run = randomUUID();
  const early = await costAt(store, run, 0, 300);
  await store.append(
    run,
    Array.from({ length: 9700 }, (_, index) => event(run, 300 + index)),
  );
  const late = await costAt(store, run, 10_000, 300);
  await store.close();
  return { early_us: early, late_us: late, ratio: late / early };
}

/** Ratios to the raw rate of the same round, every contender in every round. */
async function rounds(dir, contenders, sync) {
  const raw = [];
  const ratios = CALLERS.map(() => ({}));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, callers] of CALLERS.entries()) {
      const base = await rawRate(dir, sync);
      raw.push(base);
      for (const [name, value] of Object.entries(await contenders(callers))) {
        (ratios[at][name] ??= []).push(value / base);
      }
    }
  }
  const over = ratios.map((all) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, quartiles(one)])),
  );
  return {
    raw_per_second: quartiles(raw),
    over_raw: Object.fromEntries(CALLERS.map((callers, at) => [callers, over[at]])),
  };
}

export async function measure() {
  const dir = await mkdtemp(join(process.env.SALVOR_BENCH_DIR ?? tmpdir(), "salvor-bench-"));
  const { Database, missing } = await loadSqlite();
  try {
    const disk = await rounds(
      dir,
      async (callers) => {
        const lowdb = await appendRate(dir, callers);
        if (Database === undefined) return { lowdb };
        const { single, grouped } = await sqliteRates(Database, dir, callers, MILLISECONDS / 2);
        return { lowdb, "sqlite, a commit each": single, "sqlite, grouped": grouped };
      },
      (file) => file.datasync(),
    );
    const slow = await rounds(
      dir,
      async (callers) => ({ lowdb: await appendRate(dir, callers, slowDisk) }),
      () => wait(SYNC_MS),
    );
    return {
      ...(missing !== undefined && { missing }),
      disk,
      slow,
      long_run: await longRun(dir),
      checkpoint: await checkpointPause(dir),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export function print({ missing, disk, slow, long_run: long, checkpoint }) {
  if (missing !== undefined) console.log(missing);
  printRounds("this disk", disk);
  printRounds(`a sync of ${SYNC_MS} ms`, slow);
  console.log(
    `one append at event 0 / at event 10 000: ${long.early_us.toFixed(0)} / ${long.late_us.toFixed(0)} µs`,
  );
  const { without_ms: without, during_ms: during, checkpoint_ms: took } = checkpoint;
  const { loop_without_ms: loopWithout, loop_during_ms: loopDuring } = checkpoint;
  console.log(
    `longest wait of 16 callers: ${without.toFixed(0)} ms; during a checkpoint of 64 MiB: ${during.toFixed(0)} ms (it took ${took.toFixed(0)} ms)`,
  );
  console.log(
    `longest that the event loop was kept: ${loopWithout.toFixed(0)} ms; during that checkpoint: ${loopDuring.toFixed(0)} ms`,
  );
}

function printRounds(what, { raw_per_second: raw, over_raw: over }) {
  const row = (name, cells) => console.log(name.padEnd(46), cells.map((cell) => cell.padStart(10)).join(""));
  row(what, ["quartile", "median", "quartile"]);
  row(
    "  raw append + fdatasync per second",
    raw.map((value) => value.toFixed(0)),
  );
  for (const [callers, contenders] of Object.entries(over)) {
    for (const [name, values] of Object.entries(contenders)) {
      row(
        `  ${name} / raw, ${callers} callers`,
        values.map((value) => value.toFixed(2)),
      );
    }
  }
}
