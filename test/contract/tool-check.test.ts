import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findingsOf, FIXTURES, MODES } from "./compile.js";

const MISTAKE = /^\s*\/\/ mistake: (.+)$/;

/** Each sentence that a fixture asks for, with the line that it is about. */
const expectedOf = (fixture: string) =>
  readFileSync(join(FIXTURES, fixture), "utf8")
    .split("\n")
    .flatMap((text, at) => {
      const sentence = MISTAKE.exec(text)?.[1];
      return sentence === undefined ? [] : [{ sentence, line: at + 2 }];
    });
const expected = expectedOf("wrong-uses.ts");

for (const mode of MODES) {
  describe(`@Tool under ${mode.name}`, () => {
    const findings = findingsOf("wrong-uses.ts", mode);

    for (const { sentence, line } of expected) {
      it(`says on line ${line}: ${sentence}`, () => {
        const messages = findings.filter((finding) => finding.line === line).map(({ message }) => message);
        assert.ok(
          messages.some((message) => message.includes(sentence)),
          `found instead:\n${messages.join("\n") || "no error"}`,
        );
      });
    }

    it("finds fault with nothing else", () => {
      const lines = new Set(expected.map(({ line }) => line));
      assert.deepEqual(
        findings.filter(({ line }) => !lines.has(line)),
        [],
      );
      assert.ok(lines.size >= 25);
    });

    it("accepts every right use", () => {
      assert.deepEqual(findingsOf("right-uses.ts", mode), []);
    });

    it("accepts every right use without strict as well", () => {
      const lax = { strict: false, exactOptionalPropertyTypes: false };
      assert.deepEqual(findingsOf("right-uses.ts", mode, lax), []);
    });
  });
}

it("schemas of zod, arktype and valibot have to fit the handler that they are registered with", () => {
  const wrong = expectedOf("schema-uses.ts");
  const findings = findingsOf("schema-uses.ts", MODES[0]);
  assert.deepEqual(
    findings.map(({ line }) => line),
    wrong.map(({ line }) => line),
    JSON.stringify(findings, undefined, 2),
  );
  assert.ok(wrong.length >= 5);
  for (const [at, { sentence }] of wrong.entries())
    assert.ok(findings[at]?.message.includes(sentence), sentence);
});
