import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { holds } from "#salvor/log/events.js";
import { openLowdbStore } from "#salvor/store/index.js";

const SOAK = process.env.SALVOR_SOAK !== undefined;
/** Two folders, side by side: their processes and syncs wait for each other as little as the disk allows. */
const FOLDERS = 2;
const KILLS = SOAK ? 500 : 10;
/** After so many kills every event of the runs is read again; after each of the others, the next process says where it goes on. */
const FULL_CHECK = SOAK ? 50 : 5;
/** After so many kills other runs are driven: a checkpoint writes a run's identities anew, all of them. */
const ERA = SOAK ? 40 : 20;
const APPENDER = join(import.meta.dirname, "appender.js");

/** The runs of an era. */
function runsOf(era: number): readonly string[] {
  return Array.from(
    { length: 8 },
    (_, index) => `${index}${String(era).padStart(7, "0")}-0000-4000-8000-000000000000`,
  );
}

/** Lets a process append until it has acknowledged so many events, kills it, and answers what it acknowledged: `run seq round`. */
async function appendAndKill(
  dir: string,
  runs: readonly string[],
  round: number,
  until: number,
): Promise<readonly string[]> {
  const child = spawn(process.execPath, [APPENDER, dir, runs.join(","), String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.split("\n").length > until) child.kill("SIGKILL");
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  assert.equal(signal, "SIGKILL", "the process ended by itself");
  return text.split("\n").slice(0, -1);
}

describe("a store whose process is killed", { concurrency: true }, () => {
  for (let folder = 1; folder <= FOLDERS; folder += 1) {
    it(`has everything that was acknowledged, in order, with its identities, after each of ${KILLS} kills (folder ${folder})`, async () => {
      const dir = await mkdtemp(join(tmpdir(), "salvor-kill-"));
      try {
        let acknowledged = 0;
        for (let era = 0; era * ERA < KILLS; era += 1) acknowledged += await killEra(dir, era);
        assert.ok(acknowledged > KILLS);
        // Those of earlier eras, too, after everything that happened since.
        for (let era = 0; era * ERA < KILLS; era += 1) await check(dir, runsOf(era), new Map());
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    });
  }
});

/** Kills processes that drive the same runs, and looks each time what is left; answers how many appends were acknowledged. */
async function killEra(dir: string, era: number): Promise<number> {
  const runs = runsOf(era);
  const acknowledged = new Map<string, string>();
  const ends = new Map<string, number>();
  const heard = new Map<string, number>();
  const first = era * ERA;
  for (let round = first; round < Math.min(KILLS, first + ERA); round += 1) {
    const lines = await appendAndKill(dir, runs, round, Math.floor(Math.random() * 300));
    const begun = new Set<string>();
    for (const [run, seq, by] of lines.map((line) => line.split(" ") as [string, string, string])) {
      const end = ends.get(run) ?? 0;
      // Each process that was killed since may have left one event of the run that it told nobody about.
      const most = begun.has(run) ? end + 1 : end + 1 + round - (heard.get(run) ?? first);
      const isNext = Number(seq) > end && Number(seq) <= most;
      assert.ok(isNext, `round ${by} went on at seq ${seq} of ${run}, after ${end}`);
      begun.add(run);
      heard.set(run, round);
      ends.set(run, Number(seq));
      acknowledged.set(`${run}/${seq}`, by);
    }
    if (round % (2 * FULL_CHECK) === FULL_CHECK - 1) await checkCopy(dir, runs, acknowledged);
    else if (round % FULL_CHECK === FULL_CHECK - 1) await check(dir, runs, acknowledged);
  }
  await check(dir, runs, acknowledged);
  return acknowledged.size;
}

async function check(
  dir: string,
  runs: readonly string[],
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const store = await openLowdbStore({ dir });
  const found = new Set<string>();
  for (const run of runs) {
    const log = await store.readLog(run);
    for (const [index, envelope] of log.entries()) {
      assert.equal(envelope.seq, index);
      found.add(`${run}/${index}`);
      if (!holds(envelope, "ToolCallRequested")) continue;
      const key = `${run}/${index}`;
      const by = acknowledged.get(key);
      if (by !== undefined) assert.deepEqual(envelope.event.payload.input, { round: by });
      assert.equal(envelope.event.payload.idempotency_key, key);
      const settled = log.length > index + 1;
      assert.deepEqual(await store.lookupCall(key), { run_id: run, seq: index, settled });
    }
    assert.equal(await store.lookupCall(`${run}/${log.length}`), undefined, "an identity without its intent");
  }
  for (const key of acknowledged.keys()) assert.ok(found.has(key), `${key} was acknowledged and is gone`);
  await store.close();
}

/** Looks at a copy, so that the next process recovers from where this one was killed and from no checkpoint. */
async function checkCopy(
  dir: string,
  runs: readonly string[],
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const copy = `${dir}-copy`;
  try {
    await cp(dir, copy, { recursive: true });
    await check(copy, runs, acknowledged);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
