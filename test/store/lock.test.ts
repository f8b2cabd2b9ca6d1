import { strict as assert } from "node:assert";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { after, describe, it } from "node:test";
import { FolderLocked, openLowdbStore, StoreUnavailable } from "#salvor/store/index.js";

const HOLDER = join(import.meta.dirname, "lock-holder.js");
const RUN = "aaaaaaaa-0000-4000-8000-000000000000";
const OWNERSHIP = { kind: "client", record_prompts: false } as const;

type Child = ChildProcessByStdio<Writable, Readable, null>;

const folders: string[] = [];
const children: Child[] = [];

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "salvor-lock-"));
  folders.push(dir);
  return dir;
}

/** Starts a process on a folder; answers it and the first line that it prints. */
async function start(dir: string): Promise<{ readonly child: Child; readonly says: string }> {
  const child = spawn(process.execPath, [HOLDER, dir], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  child.stdout.setEncoding("utf8");
  const [says] = (await once(child.stdout, "data")) as [string];
  return { child, says: says.trim() };
}

async function end(child: Child, how: () => void): Promise<void> {
  const closed = once(child, "close");
  how();
  await closed;
}

/** Writes over some of what a lock says about its holder. */
async function forge(dir: string, changes: object): Promise<void> {
  const file = join(dir, "lock");
  const holder = JSON.parse(await readFile(file, "utf8")) as object;
  await writeFile(file, JSON.stringify({ ...holder, ...changes }));
}

after(async () => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
  for (const dir of folders) await rm(dir, { recursive: true, force: true });
});

describe("the lock of a data folder", () => {
  it("refuses a second process, naming the first one's pid, and lets it in when that one is done", async () => {
    const dir = await newFolder();
    const first = await start(dir);
    assert.equal(first.says, "holds");
    const second = await start(dir);
    assert.match(second.says, new RegExp(`^FolderLocked: .*process ${first.child.pid ?? 0} on host`));
    await assert.rejects(openLowdbStore({ dir }), FolderLocked);
    await end(first.child, () => first.child.stdin.end());
    const store = await openLowdbStore({ dir });
    await store.close();
    assert.deepEqual(
      (await readdir(dir)).filter((name) => name.startsWith("lock")),
      [],
    );
  });

  it("refuses a second store in the same process", async () => {
    const dir = await newFolder();
    const store = await openLowdbStore({ dir });
    await assert.rejects(openLowdbStore({ dir }), new RegExp(`process ${process.pid} on host`));
    await store.close();
  });

  it("is taken over from a process that was killed, by exactly one of many that try at once", async () => {
    const dir = await newFolder();
    for (let round = 0; round < 3; round += 1) {
      const first = await start(dir);
      assert.equal(first.says, "holds");
      await end(first.child, () => first.child.kill("SIGKILL"));
      const racers = await Promise.all(Array.from({ length: 6 }, () => start(dir)));
      const winners = racers.filter(({ says }) => says === "holds");
      assert.equal(winners.length, 1, racers.map(({ says }) => says).join("\n"));
      for (const { says } of racers) assert.match(says, /^(holds|FolderLocked: )/);
      for (const { child } of winners) await end(child, () => child.kill("SIGKILL"));
    }
  });

  it("is not fooled by a process that has got the pid of the one that died", async () => {
    const dir = await newFolder();
    const first = await start(dir);
    await end(first.child, () => first.child.kill("SIGKILL"));
    await forge(dir, { pid: process.pid, started: "1" });
    await (await openLowdbStore({ dir })).close();
  });

  it("is stale when the machine was started again since", async () => {
    const dir = await newFolder();
    const first = await start(dir);
    await end(first.child, () => first.child.kill("SIGKILL"));
    await forge(dir, { pid: process.pid, boot: "another boot" });
    await (await openLowdbStore({ dir })).close();
  });

  it("is never stale when it is from another host, unless that is forced", async () => {
    const dir = await newFolder();
    const first = await start(dir);
    await end(first.child, () => first.child.kill("SIGKILL"));
    await forge(dir, { host: "elsewhere" });
    await assert.rejects(openLowdbStore({ dir }), /host elsewhere, which cannot be seen from here.*--force/);
    await (await openLowdbStore({ dir, force: true })).close();
  });

  it("says what to do when it is damaged", async () => {
    const dir = await newFolder();
    await writeFile(join(dir, "lock"), "\0\0\0");
    await assert.rejects(openLowdbStore({ dir }), /lock is damaged.*remove that file/);
  });

  it("stops a writer that was taken over: it acknowledges nothing from then on", async () => {
    const dir = await newFolder();
    const first = await openLowdbStore({ dir });
    await first.openRun(RUN, "one", OWNERSHIP);
    const second = await openLowdbStore({ dir, force: true });
    // The first one looks at its lock again a little later.
    let last: unknown;
    for (let tries = 0; tries < 10_000 && last === undefined; tries += 1) {
      await first.openRun(RUN, "two", OWNERSHIP).catch((error: unknown) => (last = error));
    }
    assert.ok(last instanceof StoreUnavailable);
    assert.match(last.message, /was taken over.*writes no more/);
    assert.equal(first.health.writable, false);
    await second.openRun(RUN, "three", OWNERSHIP);
    await first.close();
    await second.close();
    const third = await openLowdbStore({ dir });
    assert.equal((await third.readRun(RUN))?.lease, "three");
    await third.close();
  });

  it("keeps the folder to its owner", async () => {
    const dir = join(await newFolder(), "deep", "data");
    const store = await openLowdbStore({ dir });
    await store.openRun(RUN, "one", OWNERSHIP);
    await store.close();
    assert.equal((await stat(dir)).mode & 0o777, 0o700);
    for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
    }
  });
});
