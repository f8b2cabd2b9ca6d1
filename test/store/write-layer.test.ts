import assert from "node:assert/strict";
import { constants } from "node:fs";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openLowdbStore } from "#salvor/store/open-lowdb-store.js";
import { fileSystem } from "#salvor/store/write-layer.js";

describe("the disk of this machine", () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "salvor-write-layer-"));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it("has a file made once, and appends to it in the order asked for", async () => {
    for (const durable of [false, true]) {
      const path = join(dir, String(durable));
      const file = await fileSystem.create(path, durable);
      await file.append(Buffer.from("one "));
      await file.append(Buffer.from("two"));
      await file.sync();
      await file.close();
      assert.equal(await readFile(path, "utf8"), "one two");
      await assert.rejects(fileSystem.create(path, durable), { code: "EEXIST" });
    }
  });

  const skip = process.platform !== "linux" && "only Linux tells how a file is open";
  it("is told by the journal to make each append durable", { skip }, async () => {
    const data = join(dir, "data");
    const store = await openLowdbStore({ dir: data });
    try {
      const flags = await flagsOf((path) => path.startsWith(join(data, "journal")));
      assert.equal(flags & constants.O_DSYNC, constants.O_DSYNC);
      assert.equal(flags & constants.O_APPEND, constants.O_APPEND);
    } finally {
      await store.close();
    }
  });
});

/** How the one open file of this process that is meant is open, as the kernel says. */
async function flagsOf(isMeant: (path: string) => boolean): Promise<number> {
  for (const fd of await readdir("/proc/self/fd")) {
    const path = await readlink(`/proc/self/fd/${fd}`).catch(() => "");
    if (!isMeant(path)) continue;
    const flags = /^flags:\s+(\d+)$/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return Number.parseInt(flags ?? "", 8);
  }
  throw new Error("no such file is open");
}
