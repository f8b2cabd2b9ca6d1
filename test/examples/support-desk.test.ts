import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { run } from "../docs/scripts.js";
import { root } from "../docs/pages.js";

const example = join(root, "examples/support-desk");

describe("the support desk", () => {
  it("tells its story, in which each refund is paid once", async () => {
    const told = (await run(process.execPath, [join(example, "dist/main.js")])).replace(/\s+/g, " ");
    const story = [
      /5 euros back\. desk: .*refund_card: output-available.*re_1\./,
      /\(cut off\) SIGKILL.*refund_card: approval-requested.*operator: finds re_2 .*output-available.*re_2\./,
      /250 euros\..*approval-requested.*manager: is asked: Refund 25000 cents.*re_3\./,
      /The books agree: 3 refunds, each paid once\./,
    ];
    for (const words of story) assert.match(told, words);
  });

  it("has declarations without a fault", async () => {
    const { code, stdout, stderr } = await runSalvor(["check", "declarations"], { cwd: example });
    assert.equal(code, 0, stdout + stderr);
  });
});
