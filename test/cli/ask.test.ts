import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { confirm, requireConsent } from "#salvor/cli/ask.js";

function conversation(answer: string) {
  const input = new PassThrough();
  input.end(answer);
  return { input, output: new PassThrough() };
}

describe("a question", () => {
  for (const [answer, verdict] of [
    ["y\n", true],
    ["Yes\n", true],
    ["n\n", false],
    ["\n", false],
    ["yesterday\n", false],
    ["", false],
  ] as const)
    it(`answered ${JSON.stringify(answer)} is ${verdict ? "a yes" : "a no"}`, async () => {
      assert.equal(await confirm("Record this?", conversation(answer)), verdict);
    });
});

describe("a decision", () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const pipe = new PassThrough();

  it("needs a terminal at both ends, or --yes", () => {
    requireConsent(false, "resolve", { input: terminal, output: terminal });
    requireConsent(true, "resolve", { input: pipe, output: pipe });
    for (const [input, output] of [
      [pipe, terminal],
      [terminal, pipe],
    ] as const)
      assert.throws(
        () => {
          requireConsent(false, "resolve", { input, output });
        },
        { name: "CliError", exitCode: 2 },
      );
  });
});
