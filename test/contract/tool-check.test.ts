import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { runTsc, TYPESCRIPTS, type TscFinding, type TypeScript } from "../support/typescript-versions.js";
import { findingsOf, FIXTURES, MODES, type Mode } from "./compile.js";

const MISTAKE = /^\s*\/\/ mistake: (.+)$/;
const WRONG = join(FIXTURES, "wrong-uses.ts");
const RIGHT = join(FIXTURES, "right-uses.ts");

/** Each sentence that a fixture asks for, with the line that it is about. */
const expectedOf = (fixture: string) =>
  readFileSync(join(FIXTURES, fixture), "utf8")
    .split("\n")
    .flatMap((text, at) => {
      const sentence = MISTAKE.exec(text)?.[1];
      return sentence === undefined ? [] : [{ sentence, line: at + 2 }];
    });
const expected = expectedOf("wrong-uses.ts");

const folder = mkdtempSync(join(tmpdir(), "salvor-tool-check-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a compiler says of both fixtures, which it is given as one program. */
async function findings(typescript: TypeScript, mode: Mode): Promise<readonly TscFinding[]> {
  const config = join(folder, `${typescript.version}-${mode.name.replace(" ", "-")}.json`);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    experimentalDecorators: mode.experimentalDecorators,
    skipLibCheck: true,
    resolveJsonModule: true,
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(FIXTURES, "../../../node_modules/@types")],
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [WRONG, RIGHT] }));
  return runTsc(typescript, ["-p", config], folder);
}

for (const typescript of TYPESCRIPTS) {
  for (const mode of MODES) {
    describe(`@Tool with TypeScript ${typescript.version} and ${mode.name}`, async () => {
      const found = await findings(typescript, mode);
      const wrong = found.filter(({ file }) => file.endsWith("wrong-uses.ts"));

      for (const { sentence, line } of expected) {
        it(`says on line ${line}: ${sentence}`, () => {
          const messages = wrong.filter((finding) => finding.line === line).map(({ message }) => message);
          assert.ok(
            messages.some((message) => message.includes(sentence)),
            `found instead:\n${messages.join("\n") || "no error"}`,
          );
        });
      }

      it("finds fault with nothing else, and with no right use", () => {
        const lines = new Set(expected.map(({ line }) => line));
        assert.deepEqual(
          found.filter((finding) => !wrong.includes(finding) || !lines.has(finding.line)),
          [],
        );
        assert.ok(lines.size >= 25);
      });
    });
  }
}

for (const mode of MODES) {
  it(`@Tool without strict accepts every right use, with ${mode.name}`, () => {
    const lax = { strict: false, exactOptionalPropertyTypes: false };
    assert.deepEqual(findingsOf("right-uses.ts", mode, lax), []);
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
