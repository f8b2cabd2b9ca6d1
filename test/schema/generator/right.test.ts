import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IMPORTED, RIGHT, type Right } from "./constructs.js";
import { assertJudges } from "./judge.js";
import { expectArtefact, Program, toolSource } from "./program.js";

describe("every construct of the list becomes what it means", () => {
  const files: Record<string, string> = { ...IMPORTED };
  for (const [name, { types }] of Object.entries(RIGHT)) files[`src/${name}.ts`] = toolSource(name, types);
  using program = new Program(files);
  const { artefact, text } = expectArtefact(program.generate());
  const byClass = new Map(Object.values(artefact.tools).map((tool) => [tool.class, tool]));
  for (const [name, { accept, reject, openTuple }] of Object.entries(RIGHT)) {
    it(name, () => {
      assertJudges(byClass.get(name)?.input, { accept, reject }, openTuple ? { strictTuples: false } : {});
    });
  }

  it("and no path of this machine is in the artefact", () => {
    assert.ok(!text.includes(program.folder) && !text.includes("import("));
  });

  it("and a union told apart by a literal is a oneOf", () => {
    const { properties } = byClass.get("Discriminated")?.input as { properties: { p: object } };
    assert.deepEqual(properties.p, { oneOf: [{ $ref: "#/definitions/C" }, { $ref: "#/definitions/I" }] });
  });
});

const OUTPUTS: Readonly<Record<string, Omit<Right, "types"> & { readonly body: string }>> = {
  Promised: {
    body: "async call(ctx: ToolCtx, input: In): Promise<{ id: string }> { return null!; }",
    accept: [{ id: "" }],
    reject: [{}, null],
  },
  Direct: {
    body: "call(ctx: ToolCtx, input: In): string[] { return []; }",
    accept: [[""]],
    reject: [[1], ""],
  },
  Either: {
    body: "call(ctx: ToolCtx, input: In): number | Promise<number> { return 1; }",
    accept: [1],
    reject: ["1"],
  },
  Inferred: {
    body: "async call(ctx: ToolCtx, input: In) { return { a: input.a, n: 1 }; }",
    accept: [{ a: "", n: 2 }],
    reject: [{ a: "" }],
  },
  Null: { body: "async call(ctx: ToolCtx, input: In) { return null; }", accept: [null], reject: [{}] },
  Outcome: {
    body: "async call(ctx: ToolCtx, input: In): Promise<ToolOutcome<{ id: string } | null>> { return null!; }",
    accept: [{ id: "" }, null],
    reject: [{}, { outcome: "output", value: null }],
  },
  OutcomeOr: {
    body: "async call(ctx: ToolCtx, input: In): Promise<string | ToolOutcome<string>> { return ''; }",
    accept: [""],
    reject: [{ outcome: "output", value: "" }],
  },
  Suspends: {
    body: "async call(ctx: ToolCtx, input: In) { return input.a ? suspend('why', true) : output({ ok: true as const }); }",
    accept: [{ ok: true }],
    reject: [{ ok: false }, { outcome: "suspend", reason: "", inputSchema: true }],
  },
  Arrow: { body: "call = async (ctx: ToolCtx, input: In) => ({ n: 1 });", accept: [{ n: 1 }], reject: [{}] },
  Destructured: { body: "call(ctx: ToolCtx, { a }: In) { return a; }", accept: [""], reject: [1] },
};

describe("the output is what call resolves to", () => {
  const files: Record<string, string> = {};
  for (const [name, { body }] of Object.entries(OUTPUTS)) {
    files[`src/${name}.ts`] =
      `import { Tool, output, suspend, type ToolCtx, type ToolOutcome } from "salvor";\ninterface In { a: string }\n` +
      `/** Does ${name}. */\n@Tool("read")\nexport class ${name} { ${body} }\nvoid output; void suspend; export type Unused = ToolOutcome<1>;\n`;
  }
  using program = new Program(files);
  const { artefact } = expectArtefact(program.generate());
  const byClass = new Map(Object.values(artefact.tools).map((tool) => [tool.class, tool]));
  for (const [name, { accept, reject }] of Object.entries(OUTPUTS)) {
    it(name, () => {
      assertJudges(byClass.get(name)?.output, { accept, reject });
    });
  }
});
