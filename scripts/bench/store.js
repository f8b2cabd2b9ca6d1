// How fast the default store is, against the raw append + fdatasync rate of the same disk in the same run; what one append
// costs late in a long run; and what a start costs. `npm run bench -- store`, about a minute.
// SALVOR_BENCH_DIR chooses the disk, SALVOR_BENCH_EVENTS the size of the start.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLowdbStore } from "../../dist/store/index.js";
import { quartiles } from "../lib/quartiles.js";

const ROUNDS = 5;
const MILLISECONDS = 700;
const CALLERS = [1, 16, 64, 256];
const EVENTS = Number(process.env.SALVOR_BENCH_EVENTS ?? 100_000);

function event(run, seq) {
  const payload = {
    seq,
    tool: "charge_card",
    input: { order: `order-${seq}`, amount_cents: 4200, note: "a line of text as long as most" },
    effect: "write",
    idempotency_key: `sha256:${"0".repeat(64)}`,
    performed_by: "client",
  };
  const of =
    seq === 0
      ? { kind: "RunStarted", payload: { agent_def_hash: "sha256:bench", input: null } }
      : { kind: "ToolCallRequested", payload };
  return { run_id: run, seq, schema_version: 1, recorded_at: new Date().toISOString(), event: of };
}

/** Appends and syncs as long as the clock allows, one after the other; answers how often per second. */
async function rawRate(dir) {
  const path = join(dir, "raw");
  const file = await open(path, "a");
  const line = Buffer.from(`${JSON.stringify(event(randomUUID(), 1))}\n`.padEnd(500, " "));
  try {
    return await rate(1, async () => {
      await file.write(line);
      await file.datasync();
    });
  } finally {
    await file.close();
    await rm(path);
  }
}

async function appendRate(dir, callers) {
  const store = await openLowdbStore({ dir: join(dir, `store-${randomUUID()}`) });
  const runs = Array.from({ length: callers }, () => ({ id: randomUUID(), seq: 0 }));
  try {
    return await rate(callers, async (caller) => {
      const run = runs[caller];
      await store.append(run.id, [event(run.id, run.seq++)]);
    });
  } finally {
    await store.close();
  }
}

async function rate(callers, call) {
  let done = 0;
  const start = performance.now();
  const worker = async (_, caller) => {
    while (performance.now() - start < MILLISECONDS) {
      await call(caller);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, worker));
  return (done * 1000) / (performance.now() - start);
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

/** Start-up in a process of its own: time, and memory. */
function start(dir) {
  const code = `
    import { openLowdbStore } from ${JSON.stringify(new URL("../../dist/store/index.js", import.meta.url).href)};
    const start = performance.now();
    const store = await openLowdbStore({ dir: ${JSON.stringify(dir)} });
    const ms = performance.now() - start;
    const { runs } = await store.summaries({ limit: 20 });
    await store.readLog(runs[0].run);
    console.log(JSON.stringify({ ms, rss_mb: process.memoryUsage().rss / 1e6 }));
    process.kill(process.pid, "SIGKILL");`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  return JSON.parse(stdout);
}

async function starts(dir) {
  const data = join(dir, "start");
  const fill = `
    import { openLowdbStore } from ${JSON.stringify(new URL("../../dist/store/index.js", import.meta.url).href)};
    const event = ${event.toString()};
    const store = await openLowdbStore({ dir: ${JSON.stringify(data)}, idleMs: 1e9, checkpointBytes: 1e12 });
    for (let left = ${EVENTS}, run = 0; left > 0; left -= 250, run += 1) {
      const id = String(run).padStart(8, "0").split("").reverse().join("") + "-0000-4000-8000-000000000000";
      await store.append(id, Array.from({ length: 250 }, (_, seq) => event(id, seq)));
    }
    process.kill(process.pid, "SIGKILL");`;
  spawnSync(process.execPath, ["--input-type=module", "-e", fill]);
  const journal = start(data);
  const store = await openLowdbStore({ dir: data });
  const begun = performance.now();
  await store.close();
  return { events: EVENTS, journal, checkpoint_ms: performance.now() - begun, documents: start(data) };
}

export async function measure() {
  const dir = await mkdtemp(join(process.env.SALVOR_BENCH_DIR ?? tmpdir(), "salvor-bench-"));
  try {
    const raw = [];
    const ratios = new Map(CALLERS.map((callers) => [callers, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const callers of CALLERS) {
        const base = await rawRate(dir);
        raw.push(base);
        ratios.get(callers).push((await appendRate(dir, callers)) / base);
      }
    }
    return {
      raw_per_second: quartiles(raw),
      append_over_raw: Object.fromEntries([...ratios].map(([callers, all]) => [callers, quartiles(all)])),
      long_run: await longRun(dir),
      start: await starts(dir),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export function print({
  raw_per_second: raw,
  append_over_raw: over,
  long_run: long,
  start: { events, ...start },
}) {
  const row = (name, ...cells) =>
    console.log(name.padEnd(34), cells.map((cell) => cell.padStart(10)).join(""));
  row("", "quartile", "median", "quartile");
  row("raw append + fdatasync per second", ...raw.map((value) => value.toFixed(0)));
  for (const [callers, values] of Object.entries(over)) {
    row(`appends / raw, ${callers} callers`, ...values.map((value) => value.toFixed(2)));
  }
  console.log(
    `one append at event 0 / at event 10 000: ${long.early_us.toFixed(0)} / ${long.late_us.toFixed(0)} µs`,
  );
  const said = ({ ms, rss_mb: rss }) => `${ms.toFixed(0)} ms, ${rss.toFixed(0)} MB RSS`;
  console.log(`start with ${events} events in the journal: ${said(start.journal)}`);
  console.log(`start with ${events} events in documents: ${said(start.documents)}`);
  console.log(`checkpoint of ${events} events: ${start.checkpoint_ms.toFixed(0)} ms`);
}
