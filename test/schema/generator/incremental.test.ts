import assert from "node:assert/strict";
import fc from "fast-check";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SchemaGenerator } from "#salvor/schema/generator/index.js";
import { expectArtefact, expectProblems, Program, toolSource } from "./program.js";

const SHARED = `import type { Keys } from "./keys.js";
import { limits } from "./values.js";
export interface Line { sku: string; count: number }
export interface Order { id: string; lines: Line[]; parent?: Order }
export type Part = Pick<Order, Keys>;
export type Limits = typeof limits;
`;

const FILES: { readonly [name: string]: string } = {
  "src/shared.ts": SHARED,
  "src/keys.ts": 'export type Keys = "id" | "lines";\n',
  "src/values.ts": "export const limits = make();\nfunction make() { return { low: 1, high: 2 }; }\n",
  "src/global.d.ts": "interface Anywhere { where: string }\n",
  "src/a.ts": toolSource("First", 'import type { Order } from "./shared.js"; type In = { order: Order };'),
  "src/b.ts": toolSource(
    "Second",
    'import type { Part, Limits } from "./shared.js"; type In = { part: Part; limits: Limits };',
  ),
  "src/c.ts": toolSource(
    "Third",
    'import type * as shared from "./again.js"; type In = { lines: shared.Line[]; any: Anywhere };',
  ),
  "src/again.ts": 'export * from "./shared.js";\n',
  "src/d.ts": toolSource("Fourth", "type In = { alone: true };", { output: "{ done: true }" }),
};

/** For each file, what it may become; nothing stands for a file that is removed. */
const BECOMES: { readonly [name: string]: readonly (string | undefined)[] } = {
  "src/shared.ts": [
    SHARED,
    undefined,
    `// Moved down.\n\n${SHARED}`,
    SHARED.replace("count: number", "count?: number; /** @minimum 2\n * @default 3 */ least: number;"),
    SHARED.replace("count: number", "/** @minimum 2\n * @default 1 */ least: number;"),
    SHARED.replace("sku: string", "sku: Date"),
    SHARED.replace("lines: Line[]", "lines: Missing[]"),
    SHARED.replace("export interface Line", "export interface Row").replace("Line[]", "Row[]"),
    `${SHARED}export const wrong: string = 1;\n`,
    SHARED.slice(0, 150),
  ],
  "src/keys.ts": [
    'export type Keys = "id";\n',
    FILES["src/keys.ts"],
    "export type Keys = keyof Missing;\n",
    undefined,
  ],
  "src/values.ts": [
    FILES["src/values.ts"],
    "export const limits = make();\nfunction make() { return { low: 'one' }; }\n",
    "export const limits = make();\nfunction make() { return { low: 1, high: () => 2 }; }\n",
  ],
  "src/global.d.ts": [
    FILES["src/global.d.ts"],
    "interface Anywhere { where: number }\n",
    "export {};\n",
    undefined,
  ],
  "src/global.ts": [
    undefined,
    "interface Anywhere { also?: boolean }\n",
    "declare global { interface Anywhere { more?: null } }\nexport {};\n",
  ],
  "src/again.ts": ['export * from "./shared.js";\n', 'export type { Line } from "./other.js";\n'],
  "src/other.ts": [
    undefined,
    "export interface Line { other: true }\n",
    "export interface Line { other: () => true }\n",
  ],
  "src/other.d.ts": [undefined, "export interface Line { declared: true }\n"],
  "src/d.ts": [
    FILES["src/d.ts"],
    FILES["src/d.ts"]?.replace("return null!", "void 0; return null!"),
    FILES["src/d.ts"]?.replace("Fourth {", "First {"),
    toolSource("Fourth", 'import type { Order } from "./shared.js"; type In = { order: Order };'),
    undefined,
  ],
};

const anyEdit = fc
  .constantFrom(...Object.keys(BECOMES))
  .chain((name) => fc.record({ name: fc.constant(name), text: fc.constantFrom(...(BECOMES[name] ?? [])) }));

function write(program: Program, name: string, text: string | undefined): void {
  if (text === undefined) rmSync(join(program.folder, name), { force: true });
  else program.write(name, text);
}

describe("generating again after an edit answers what generating from nothing does", () => {
  const runs = process.env.SALVOR_SOAK === undefined ? 4 : 100;
  it(`over ${runs} random sequences of edits`, () => {
    let right = 0;
    let refused = 0;
    const sequences = fc.array(fc.array(anyEdit, { minLength: 1, maxLength: 2 }), {
      minLength: 6,
      maxLength: 6,
    });
    const property = fc.property(sequences, (rounds) => {
      using program = new Program(FILES);
      const settings = { tsconfig: "tsconfig.json", cwd: program.folder };
      const generator = new SchemaGenerator(settings);
      expectArtefact(generator.generate());
      for (const edits of rounds) {
        for (const { name, text } of edits) write(program, name, text);
        const again = generator.generate();
        const fresh = program.generate();
        assert.deepEqual(again.problems, fresh.problems);
        if (!("text" in fresh)) refused += 1;
        else assert.equal(expectArtefact(again).text, fresh.text, "the artefact differs");
        if ("text" in fresh) right += 1;
        // From something whole, mostly, so that one mistake does not hide everything that follows.
        if (!("text" in fresh)) for (const [name, text] of Object.entries(FILES)) program.write(name, text);
      }
    });
    fc.assert(property, {
      numRuns: runs,
      endOnFailure: true,
      ...(process.env.SALVOR_SOAK === undefined && { seed: 11 }),
    });
    assert.ok(right >= runs && refused >= runs, `${right} right, ${refused} refused`);
  });

  it("and what was generated for tools that an edit does not reach is the same object", () => {
    using program = new Program(FILES);
    const generator = new SchemaGenerator({ tsconfig: "tsconfig.json", cwd: program.folder });
    const before = expectArtefact(generator.generate()).artefact.tools;
    program.write("src/keys.ts", 'export type Keys = "id";\n');
    const after = expectArtefact(generator.generate()).artefact.tools;
    assert.notEqual(after.second?.fingerprint, before.second?.fingerprint);
    assert.equal(after.fourth, before.fourth);
    // Read again, since its source imports the file, but nothing new is made of it.
    assert.equal(after.first?.input, before.first?.input);
  });
});

describe("a source that types come from is checked", () => {
  it("also when only a name in a type leads there", () => {
    using program = new Program({
      ...FILES,
      "src/keys.ts": `${FILES["src/keys.ts"]}export const wrong: string = 1;\n`,
    });
    assert.deepEqual(
      expectProblems(program.generate()).map(({ file, line }) => [file, line]),
      [["src/keys.ts", 2]],
    );
  });

  it("and one that does not parse is told of, whatever is in there, since a tool may be", () => {
    using program = new Program({ ...FILES, "src/half.ts": '@Tool("write") export clas' });
    const problems = expectProblems(program.generate());
    assert.ok(problems.some(({ file, message }) => file === "src/half.ts" && message.startsWith("TS")));
  });
});
