import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { BANK_PAYOUT, REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";

describe("salvor check", () => {
  let files: ToolFiles;
  before(async () => (files = await toolFiles()));
  after(() => files.remove());

  it("names the tools of files that are in order, and exits 0", async () => {
    const refund = await files.write("refund.toml", REFUND_CARD);
    const payout = await files.write("payout.toml", BANK_PAYOUT);
    assert.deepEqual(await runSalvor(["check", refund, payout]), {
      code: 0,
      stdout: "2 files in order: bank_payout, refund_card\n",
      stderr: "",
    });
  });

  it("reports every problem of every file with file and line, and exits 1", async () => {
    const one = await files.write("one.toml", REFUND_CARD.replace('"write"', '"maybe"'));
    const two = await files.write("two.toml", `trust = true\n${BANK_PAYOUT}`);
    const { code, stdout, stderr } = await runSalvor(["check", one, two]);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^\S*one\.toml:3:\d+: .*maybe/m);
    assert.match(stderr, /^\S*two\.toml:1:\d+: .*trust/m);
    assert.match(stderr, /\nNext: put them right, then salvor check /);
  });

  it("reports to a script in JSON, with the same exit code", async () => {
    const good = await files.write("good.toml", REFUND_CARD);
    const bad = await files.write("bad.toml", BANK_PAYOUT.replace('"write"', '"maybe"'));
    const fine = await runSalvor(["check", "--json", good]);
    assert.equal(fine.code, 0);
    assert.deepEqual(JSON.parse(fine.stdout), {
      ok: true,
      files: [good],
      tools: ["refund_card"],
      problems: [],
      warnings: [],
    });
    const faulty = await runSalvor(["check", "--json", good, bad]);
    assert.equal(faulty.code, 1);
    const report = JSON.parse(faulty.stdout) as { ok: boolean; problems: { file: string; line: number }[] };
    assert.equal(report.ok, false);
    assert.deepEqual(
      report.problems.map(({ file, line }) => ({ file, line })),
      [{ file: bad, line: 3 }],
    );
  });
});
