import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { ToolSet } from "#salvor/index.js";
import { findingsOfText, FIXTURES, javascriptOf, MODES } from "./compile.js";
import { ctxOf } from "./ctx.js";

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

  it("shows schemas of three libraries that do what it says", async () => {
    const [, block = ""] = /<!-- runs -->\n```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const imports = 'import { Tool, ToolSet, type ToolCtx, type ToolHandler } from "salvor";\n';
    const script = javascriptOf(imports + block, MODES[0]).replace(
      /from "(arktype|valibot|zod)"/g,
      (_, name: string) => `from "${import.meta.resolve(name)}"`,
    );
    const shown = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as Record<
      string,
      ToolSet
    >;
    for (const name of ["withZod", "withArktype", "withValibot"]) {
      const tool = shown[name]?.get("list_orders");
      assert.ok(tool !== undefined, name);
      assert.deepEqual(await tool.callJson(ctxOf(), { shop: "ulm" }), {
        outcome: "output",
        output: { ids: ["ulm-1", "ulm-2"] },
      });
      await assert.rejects(tool.callJson(ctxOf(), { shop: 1 }), { code: "invalid_input" });
      assert.deepEqual(tool.inputSchema.required, ["shop"]);
    }
  });

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
