// What 1 000 000 events of 4 000 runs cost a start and the memory, with and without held identities; and what the newest 5 %
// in the journal add. `npm run bench -- million`, some minutes, most of them to write the events.
// SALVOR_BENCH_DIR chooses the disk, SALVOR_BENCH_EVENTS another number.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quartiles } from "../lib/quartiles.js";

const EVENTS = Number(process.env.SALVOR_BENCH_EVENTS ?? 1_000_000);
const A_RUN = 250;
const STARTS = 5;
const STORE = new URL("../../dist/store/index.js", import.meta.url).href;
const EVENT = new URL("./lib/events.js", import.meta.url).href;

/** Runs a module in a process of its own; answers what it printed, as JSON. */
function apart(code) {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
  });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`a process of the bench failed: ${stderr}`);
  }
}

/** Writes runs of {@link A_RUN} events; `held` says whether every call holds its key, `stay` what is left in the journal. */
function fill(dir, from, count, held, stay) {
  return apart(`
    import { openLowdbStore } from ${JSON.stringify(STORE)};
    import { event, keyOf } from ${JSON.stringify(EVENT)};
    const store = await openLowdbStore({ dir: ${JSON.stringify(dir)}, idleMs: 1e9 });
    for (let run = ${from / A_RUN}; run < ${(from + count) / A_RUN}; run += 1) {
      const id = String(run).padStart(8, "0").split("").reverse().join("") + "-0000-4000-8000-000000000000";
      const identities = [];
      for (let seq = 1; ${held} && seq < ${A_RUN} - 1; seq += 2) {
        identities.push({ change: "claim", identity: keyOf(id, seq), seq }, { change: "settle", identity: keyOf(id, seq) });
      }
      await store.append(id, Array.from({ length: ${A_RUN} }, (_, seq) => event(id, seq)), { identities });
    }
    if (!${stay}) await store.close();
    console.log("{}");
    process.kill(process.pid, "SIGKILL");`);
}

/** One start in a process of its own, and its memory before and after. */
function start(dir) {
  return apart(`
    import { openLowdbStore } from ${JSON.stringify(STORE)};
    const before = process.memoryUsage().rss;
    const begun = performance.now();
    const store = await openLowdbStore({ dir: ${JSON.stringify(dir)}, idleMs: 1e9 });
    const ms = performance.now() - begun;
    const cpu = process.cpuUsage();
    const { runs } = await store.summaries({ limit: 20 });
    await store.readLog(runs[0].run);
    const { rss } = process.memoryUsage();
    console.log(JSON.stringify({ ms, cpu_ms: (cpu.user + cpu.system) / 1e3, rss_mb: rss / 1e6, added_mb: (rss - before) / 1e6 }));
    process.kill(process.pid, "SIGKILL");`);
}

function starts(dir) {
  const all = Array.from({ length: STARTS }, () => start(dir));
  return Object.fromEntries(Object.keys(all[0]).map((key) => [key, quartiles(all.map((one) => one[key]))]));
}

export async function measure() {
  const dir = await mkdtemp(join(process.env.SALVOR_BENCH_DIR ?? tmpdir(), "salvor-million-"));
  const newest = Math.round((EVENTS * 0.05) / A_RUN) * A_RUN;
  try {
    const measured = { events: EVENTS };
    for (const [name, held] of [
      ["no call holds a key", false],
      ["every call holds its key", true],
    ]) {
      const data = join(dir, String(held));
      fill(data, 0, EVENTS - newest, held, false);
      fill(data, EVENTS - newest, newest, held, true);
      const journal = start(data);
      // That start's process was killed: the next ones find the same journal. One that is closed makes a checkpoint.
      apart(`
        import { openLowdbStore } from ${JSON.stringify(STORE)};
        await (await openLowdbStore({ dir: ${JSON.stringify(data)} })).close();
        console.log("{}");`);
      measured[name] = { newest_in_journal: journal, documents: starts(data) };
    }
    return measured;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export function print({ events, ...cases }) {
  for (const [name, { newest_in_journal: journal, documents }] of Object.entries(cases)) {
    const [ms, cpu, rss, added] = ["ms", "cpu_ms", "rss_mb", "added_mb"].map((key) =>
      documents[key][1].toFixed(0),
    );
    console.log(
      `${events} events, ${name}: start ${ms} ms (${cpu} ms of CPU with the program's own), ${rss} MB RSS, ${added} MB of it for them`,
    );
    console.log(
      `  with the newest 5 % in the journal: ${journal.ms.toFixed(0)} ms, ${journal.rss_mb.toFixed(0)} MB RSS`,
    );
  }
}
