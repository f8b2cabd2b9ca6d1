import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findingsOfText, FIXTURES, MODES } from "./compile.js";

const page = readFileSync(join(FIXTURES, "../../../docs/tools.md"), "utf8");
const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block ?? "").join("\n");

describe("docs/tools.md", () => {
  for (const mode of MODES) {
    it(`shows code that compiles under ${mode.name}`, () => {
      assert.match(code, /@Tool\("write"\)/);
      const text = code.replace("./tools.schemas.json", "./right-uses.schemas.json");
      assert.deepEqual(findingsOfText(text, mode), []);
    });
  }

  it("quotes only sentences that the compiler says", () => {
    const said = readFileSync(join(FIXTURES, "../../../src/contract/tool-check.ts"), "utf8");
    const table = /what the compiler says \|\n([\s\S]*?)\n\n/.exec(page)?.[1] ?? "";
    const quoted = [...table.matchAll(/\| `([^`|]+)` \|$/gm)].map(([, sentence]) => sentence ?? "");
    assert.ok(quoted.length >= 12);
    assert.deepEqual(
      quoted.filter((sentence) => !said.includes(sentence)),
      [],
    );
  });

  it("names every code that a tool set refuses with", () => {
    const codes = readFileSync(join(FIXTURES, "../../../src/contract/registry-error.ts"), "utf8");
    const all = [...codes.matchAll(/\| "([a-z_]+)"/g)].map(([, each]) => each ?? "");
    assert.ok(all.length >= 10);
    assert.deepEqual(
      all.filter((each) => !page.includes(`\`${each}\``)),
      [],
    );
  });
});
