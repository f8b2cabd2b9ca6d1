import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { examineFolder } from "#salvor/store/examine-folder.js";
import { openLowdbStore } from "#salvor/store/index.js";

// The other states are seen through the verb, in test/cli/doctor.test.ts.
describe("a data folder is said to be", () => {
  const skip = !mounts() && "mounting takes root";
  it(
    "on a full disk while there is room for less than a batch and a file, with how much",
    { skip },
    async () => {
      const disk = await mkdtemp(join(tmpdir(), "salvor-small-"));
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "salvor-test", disk]);
      try {
        const dir = join(disk, "data");
        await (await openLowdbStore({ dir })).close();
        const { findings } = await examineFolder(dir);
        const [finding] = findings;
        assert.equal(finding.state, "disk_full");
        assert.equal(finding.level, "problem");
        const free = Number(/^the disk is full: (\d+) KiB are free$/.exec(finding.says)?.[1]);
        assert.ok(free > 0 && free <= 8 * 1024, finding.says);
        assert.match(finding.next, /goes on by itself/);
      } finally {
        execFileSync("umount", [disk]);
        await rmdir(disk);
      }
    },
  );
});

function mounts(): boolean {
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}
