import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";

const main = join(import.meta.dirname, "../../../examples/refund-flow/dist/main.js");

describe("the refund flow", () => {
  it("tells its story, pays once, and leaves nothing behind", async () => {
    const temp = await mkdtemp(join(tmpdir(), "salvor-refund-flow-test-"));
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [main], {
        env: { ...process.env, TMPDIR: temp },
      });
      for (const line of [
        /^worker 1 was killed \(SIGKILL\)$/m,
        /^worker 2 went on from the checkpoint; its graph is interrupted: Refund 25000 cents/m,
        /^worker 3 was killed \(SIGKILL\)$/m,
        /^worker 4 pays nobody: its graph is interrupted/m,
        /^worker 5 ends the flow: Refunded: re_1\.$/m,
        /^the bank paid 1 time; the model gave 4 answers and was asked 5 times/m,
      ]) {
        assert.match(stdout, line);
      }
      assert.deepEqual(await readdir(temp), []);
    } finally {
      await rm(temp, { recursive: true, force: true });
    }
  });
});
