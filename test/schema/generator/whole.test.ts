import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { format } from "prettier";
import { generateSchemas } from "#salvor/schema/generator/index.js";
import { IMPORTED, RIGHT } from "./constructs.js";
import { assertJudges } from "./judge.js";
import { expectArtefact, Program, toolSource, type Artefact } from "./program.js";

/** Each construct in a tool's own file, and again imported from another one: well over a hundred classes. */
function sources(): Record<string, string> {
  const files: Record<string, string> = { ...IMPORTED };
  for (const [name, { types }] of Object.entries(RIGHT)) {
    files[`src/${name}.ts`] = toolSource(name, types);
    files[`src/${name}-types.ts`] = `${types}\nexport type { In as Wanted };\n`;
    const imported = `import type { Wanted as In } from "./${name}-types.js";`;
    files[`src/${name}-apart.ts`] = toolSource(`${name}Apart`, imported);
  }
  return files;
}

function artefactIn(folder: string): Artefact {
  return expectArtefact(generateSchemas({ tsconfig: "tsconfig.json", cwd: folder }));
}

function textOf(files: Readonly<Record<string, string>>, tsconfig: object = {}): string {
  using program = new Program(files, { tsconfig });
  return expectArtefact(program.generate()).text;
}

describe("a program with every construct, each in two classes", () => {
  const files = sources();
  const program = new Program(files);
  const elsewhere = mkdtempSync(join(tmpdir(), "salvor-elsewhere-"));
  after(() => {
    program[Symbol.dispose]();
    rmSync(elsewhere, { recursive: true, force: true });
  });
  const { artefact, text } = artefactIn(program.folder);
  const byClass = new Map(Object.values(artefact.tools).map((tool) => [tool.class, tool]));

  it("has a schema for each of more than a hundred classes that takes and refuses what it must", () => {
    assert.ok(byClass.size > 100);
    for (const [name, { accept, reject, openTuple }] of Object.entries(RIGHT)) {
      for (const className of [name, `${name}Apart`]) {
        const { input } = byClass.get(className) ?? {};
        assertJudges(input, { accept, reject }, openTuple ? { strictTuples: false } : {});
      }
    }
  });

  it("is the same bytes on another run, in another folder, in one with spaces and letters of any script, and through a link", () => {
    const folder = join(elsewhere, "größe und \u{1F4CF} mehr");
    cpSync(program.folder, folder, { recursive: true, verbatimSymlinks: true });
    symlinkSync(folder, join(elsewhere, "link"), "dir");
    assert.equal(artefactIn(program.folder).text, text);
    assert.equal(artefactIn(folder).text, text);
    assert.equal(artefactIn(join(elsewhere, "link")).text, text);
  });

  it("is the same bytes when the files are found in another order", () => {
    const reversed = Object.keys(files).reverse();
    assert.equal(textOf(files, { files: reversed, include: [] }), text);
  });

  it("is the same bytes after reformatting, with other line ends and with other bodies", async () => {
    const layout = { parser: "typescript", printWidth: 40, useTabs: true, semi: false, singleQuote: true };
    const formatted = await Promise.all(
      Object.entries(files).map(async ([name, source]) => [name, await format(source, layout)] as const),
    );
    assert.equal(textOf(Object.fromEntries(formatted)), text, "reformatted");
    const edited = Object.entries(files).map(([name, source]) => {
      const body = source.replace("return null!", "const other = [ctx]; void other; return null!");
      return [name, `// Plain.\n${body}`.replace(/\n/g, "\r\n")] as const;
    });
    assert.equal(textOf(Object.fromEntries(edited)), text, "edited");
  });

  it("changes in exactly the tools that use a type that is edited", () => {
    const prints = (from: string): Map<string, string> => {
      const { tools } = JSON.parse(from) as { tools: Record<string, { class: string; fingerprint: string }> };
      return new Map(Object.values(tools).map((tool) => [tool.class, tool.fingerprint]));
    };
    const changed = (edited: Readonly<Record<string, string>>): readonly string[] => {
      const now = prints(textOf({ ...files, ...edited }));
      return [...prints(text)].flatMap(([name, print]) => (now.get(name) === print ? [] : [name])).sort();
    };
    const shared = files["src/shared.ts"] ?? "";
    const importers = Object.keys(RIGHT).filter((name) =>
      /\bLine\b.*shared\.js|shared\.Line/.test(RIGHT[name]?.types ?? ""),
    );
    assert.ok(importers.length >= 2);
    assert.deepEqual(
      changed({ "src/shared.ts": shared.replace("sku: string", "sku: string; more?: 1") }),
      importers.flatMap((name) => [name, `${name}Apart`]).sort(),
    );
    const types = files["src/Enums-types.ts"] ?? "";
    assert.deepEqual(changed({ "src/Enums-types.ts": types.replace('"b"', '"bee"') }), ["EnumsApart"]);
  });
});
