import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertJudges } from "./judge.js";
import { expectArtefact, expectProblems, FIXTURES, Program } from "./program.js";

type Expected =
  | { readonly kind: "schema"; readonly accept: readonly unknown[]; readonly reject: readonly unknown[] }
  | { readonly kind: "refuse"; readonly path: string; readonly about: string };

const CASES = join(FIXTURES, "cases");
const FRAMEWORK = 'export { Tool, type ToolHandler, type ToolCtx as ToolContext } from "salvor";\n';

describe("each case becomes what it must become", () => {
  for (const file of readdirSync(CASES).filter((name) => /^\d.*\.ts$/.test(name))) {
    const name = file.replace(/\.ts$/, "");
    it(name, () => {
      const expected = JSON.parse(readFileSync(join(CASES, `${name}.expected.json`), "utf8")) as Expected;
      using program = new Program({
        [`src/${file}`]: readFileSync(join(CASES, file), "utf8"),
        "src/_other.ts": readFileSync(join(CASES, "_other.ts"), "utf8"),
        "src/_fw.ts": FRAMEWORK,
      });
      const generated = program.generate();
      if (expected.kind === "schema") {
        assertJudges(expectArtefact(generated).artefact.tools.case?.input, expected);
        return;
      }
      const problems = expectProblems(generated);
      const found = problems.find(
        ({ path, message }) => path === expected.path && new RegExp(expected.about).test(message),
      );
      assert.ok(found, JSON.stringify(problems, null, 2));
      assert.equal(found.file, `src/${file}`);
      assert.ok(found.line !== undefined && found.line > 1);
      assert.ok(found.hint, "it says what to write instead");
    });
  }
});
