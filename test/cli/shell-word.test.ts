import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { it } from "node:test";
import fc from "fast-check";
import { sameCommand, shellWord } from "#salvor/cli/shell-word.js";

it("a plain word is left as it is", () => {
  assert.equal(shellWord("tools/refund-card.toml"), "tools/refund-card.toml");
  assert.equal(
    sameCommand("--yes", ["resolve", "--note", "it's done"]),
    `salvor resolve --note 'it'\\''s done' --yes`,
  );
});

it("a shell reads back exactly what was quoted", () => {
  const word = fc.string().filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const command = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
      assert.equal(
        execFileSync("sh", ["-c", command], { encoding: "utf8" }),
        words.map((w) => `${w}\0`).join(""),
      );
    }),
    { numRuns: 40 },
  );
});
