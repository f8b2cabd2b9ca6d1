import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { holds } from "#salvor/log/events.js";
import { backupFolder, BackupRefused } from "#salvor/store/backup-folder.js";
import { openLowdbStore } from "#salvor/store/index.js";

const ROUNDS = process.env.SALVOR_SOAK === undefined ? 4 : 60;
const RUNS = Array.from({ length: 8 }, (_, index) => `${index}0000000-0000-4000-8000-000000000000`);
const APPENDER = fileURLToPath(new URL("../crash/appender.js", import.meta.url));
const root = await mkdtemp(join(tmpdir(), "salvor-backup-"));
after(() => rm(root, { recursive: true, force: true }));

/** A process that appends and makes checkpoints without a pause, and what it has acknowledged so far. */
function startAppender(dir: string) {
  const child = spawn(process.execPath, [APPENDER, dir, RUNS.join(","), "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const closed = once(child, "close");
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return {
    acknowledged: () => text.split("\n").slice(0, -1),
    async atLeast(count: number): Promise<void> {
      while (text.split("\n").length <= count) await once(child.stdout, "data");
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

describe("a backup", () => {
  it("taken under load is a legal state with everything that was acknowledged before it began", async () => {
    const dir = join(root, "busy");
    const appender = startAppender(dir);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await appender.atLeast((round + 1) * 200);
        const acknowledged = appender.acknowledged();
        const dest = join(root, `copy-${round}`);
        const report = await backupFolder(dir, dest);
        assert.deepEqual(report.findings, []);
        assert.ok(appender.acknowledged().length > acknowledged.length, "nothing was going on meanwhile");
        await check(dest, acknowledged);
        await rm(dest, { recursive: true });
      }
    } finally {
      await appender.kill();
    }
  });

  it("of a folder that nobody uses holds all of it, and can be worked on", async () => {
    const dir = join(root, "quiet");
    const appender = startAppender(dir);
    await appender.atLeast(100);
    await appender.kill();
    const dest = join(root, "quiet-copy");
    const progress: string[] = [];
    await backupFolder(dir, dest, { onProgress: (step) => progress.push(step) });
    assert.ok(progress.includes("checking"));
    await check(dest, appender.acknowledged());
    assert.deepEqual((await readdir(dest)).sort(), ["index", "journal", "runs", "store.json", "tmp"]);
  });

  it("is refused where something lies already, and inside the folder itself", async () => {
    const dir = join(root, "refusing");
    await (await openLowdbStore({ dir })).close();
    const taken = join(root, "taken");
    await writeFile(taken, "a file");
    for (const dest of [dir, join(dir, "copy"), taken, root]) {
      await assert.rejects(backupFolder(dir, dest), BackupRefused);
    }
    assert.ok(!(await readdir(dir)).includes("copy"));
  });

  it("leaves nothing behind when the folder is none", async () => {
    const dest = join(root, "of-nothing");
    await assert.rejects(backupFolder(join(root, "missing"), dest), /store\.json.*is missing/);
    await assert.rejects(readdir(dest), { code: "ENOENT" });
  });
});

async function check(dir: string, acknowledged: readonly string[]): Promise<void> {
  const store = await openLowdbStore({ dir });
  for (const run of RUNS) {
    const log = await store.readLog(run);
    for (const [seq, envelope] of log.entries()) {
      assert.equal(envelope.seq, seq);
      if (!holds(envelope, "ToolCallRequested")) continue;
      const settled = log.length > seq + 1;
      assert.deepEqual(await store.lookupCall(`${run}/${seq}`), { run_id: run, seq, settled });
    }
    const own = acknowledged.flatMap((line) => (line.startsWith(run) ? Number(line.split(" ")[1]) : []));
    assert.ok(log.length > Math.max(...own), `run ${run} lost what was acknowledged`);
  }
  await store.close();
}
