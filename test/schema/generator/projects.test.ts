import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderProblem, SchemaGenerator } from "#salvor/schema/generator/index.js";
import { expectArtefact, expectProblems, Program, toolSource } from "./program.js";

const MONEY = `/** What is paid. */
export interface Money {
  /** @minimum 1 @integer */
  cents: number;
  currency: "EUR" | "USD";
}
`;

/** A tool that takes a \`Money\` from somewhere. */
function refund(from: string, name = "RefundOrder"): string {
  return toolSource(name, `import type { Money } from "${from}";`, { input: "Money" });
}

const EXPECTED = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  description: "What is paid.",
  properties: { cents: { type: "integer", minimum: 1 }, currency: { enum: ["EUR", "USD"], type: "string" } },
  required: ["cents", "currency"],
  additionalProperties: false,
};

/** The tools of a program, each with its file, once each was found to take a \`Money\`. */
function filesOf(program: Program, tsconfig?: string): Record<string, string> {
  const { tools } = expectArtefact(program.generate(tsconfig)).artefact;
  for (const { input } of Object.values(tools)) assert.deepEqual(input, EXPECTED);
  return Object.fromEntries(Object.entries(tools).map(([name, { file }]) => [name, file]));
}

const ONE = { refund_order: "src/refund-order.ts" };
const BUNDLER = { module: "esnext", moduleResolution: "bundler" };

describe("the modules of a project", () => {
  const modes: readonly { readonly name: string; readonly options: object; readonly from?: string }[] = [
    { name: "nodenext", options: { module: "nodenext" } },
    { name: "node16", options: { module: "node16" } },
    { name: "node20", options: { module: "node20" } },
    { name: "esnext with bundler", options: BUNDLER, from: "./money" },
    { name: "preserve", options: { module: "preserve" }, from: "./money" },
    {
      name: "preserve with .ts",
      options: { module: "preserve", allowImportingTsExtensions: true, noEmit: true },
      from: "./money.ts",
    },
    {
      name: "nodenext with rewritten .ts",
      options: { rewriteRelativeImportExtensions: true },
      from: "./money.ts",
    },
    {
      name: "esnext with bundler, isolated declarations and a build info",
      options: {
        ...BUNDLER,
        isolatedDeclarations: true,
        declaration: true,
        declarationDir: "types",
        declarationMap: true,
        incremental: true,
        tsBuildInfoFile: "out/info",
      },
    },
    {
      name: "esnext with bundler and declarations only",
      options: {
        ...BUNDLER,
        composite: true,
        emitDeclarationOnly: true,
        verbatimModuleSyntax: true,
        erasableSyntaxOnly: true,
      },
    },
  ];
  for (const { name, options, from = "./money.js" } of modes) {
    it(`are read with ${name}`, () => {
      using program = new Program(
        { "src/money.ts": MONEY, "src/refund-order.ts": refund(from) },
        { compilerOptions: options },
      );
      assert.deepEqual(filesOf(program), ONE);
    });
  }

  it("may be .mts and .cts, in each other's company", () => {
    using program = new Program({
      "src/money.mts": MONEY,
      "src/cents.cts": MONEY,
      "src/a.mts": refund("./money.mjs"),
      "src/b.cts": refund("./cents.cjs", "RefundCard").replace(
        "import { Tool, type ToolCtx }",
        'import tool = require("salvor"); import Tool = tool.Tool; type ToolCtx = tool.ToolCtx; //',
      ),
      "src/c.ts": refund("./money.mjs", "RefundCash"),
    });
    assert.deepEqual(filesOf(program), {
      refund_order: "src/a.mts",
      refund_card: "src/b.cts",
      refund_cash: "src/c.ts",
    });
  });
});

describe("a project that cannot find packages as they are published today", () => {
  it("is told to use a resolution that can", () => {
    using program = new Program(
      { "src/money.ts": MONEY, "src/refund-order.ts": refund("./money") },
      { compilerOptions: { module: "commonjs", moduleResolution: "node10", ignoreDeprecations: "5.0" } },
    );
    const [problem] = expectProblems(program.generate());
    assert.match(problem?.message ?? "", /the decorator does not resolve/);
    assert.match(
      problem?.hint ?? "",
      /^"moduleResolution": "nodenext" or "bundler": node10 \("node"\) cannot resolve the exports/,
    );
  });
});

describe("path aliases", () => {
  const files = { "src/model/money.ts": MONEY, "src/refund-order.ts": refund("@model/money") };
  it("are followed without a base", () => {
    const compilerOptions = { ...BUNDLER, paths: { "@model/*": ["./src/model/*"] } };
    using program = new Program(files, { compilerOptions });
    assert.deepEqual(filesOf(program), ONE);
  });

  it("are followed from a base", () => {
    using program = new Program(files, {
      compilerOptions: { baseUrl: "src", paths: { "@model/*": ["model/*.ts"] } },
    });
    assert.deepEqual(filesOf(program), ONE);
  });

  it("are followed from the folder of the file that gives them", () => {
    using program = new Program(
      {
        ...files,
        "config/base.json": JSON.stringify({
          compilerOptions: { paths: { "@model/*": ["../src/model/*"] } },
        }),
      },
      { compilerOptions: BUNDLER, tsconfig: { extends: "./config/base.json" } },
    );
    assert.deepEqual(filesOf(program), ONE);
  });

  it("may stand for our own package and for imports of package.json", () => {
    const tool = refund("#model/money").replace('"salvor"', '"@tool"');
    const compilerOptions = { ...BUNDLER, paths: { "@tool": ["./src/tool"] } };
    using program = new Program(
      { "src/model/money.ts": MONEY, "src/tool.ts": 'export * from "salvor";', "src/refund-order.ts": tool },
      { compilerOptions },
    );
    program.write(
      "package.json",
      JSON.stringify({ type: "module", imports: { "#model/*": "./src/model/*.ts" } }),
    );
    assert.deepEqual(filesOf(program), ONE);
  });

  it("that lead nowhere are refused", () => {
    using program = new Program(files, {
      compilerOptions: { ...BUNDLER, paths: { "@model/*": ["./gone/*"] } },
    });
    assert.match(
      expectProblems(program.generate()).map(renderProblem).join("\n"),
      /^src\/refund-order\.ts:2:\d+ TS2307: Cannot find module '@model\/money'/m,
    );
  });
});

describe("an extended tsconfig.json", () => {
  const STRICT = JSON.stringify({
    compilerOptions: { strict: true, types: [], lib: ["es2022"], skipLibCheck: true },
  });
  const MODULES = JSON.stringify({ compilerOptions: BUNDLER });
  const files = { "src/money.ts": MONEY, "src/refund-order.ts": refund("./money") };

  it("may be one of a chain", () => {
    using program = new Program({
      ...files,
      "a.json": '{ "extends": "./b" }',
      "b.json": JSON.stringify({ extends: "./c.json", compilerOptions: BUNDLER }),
      "c.json": STRICT,
    });
    program.write("tsconfig.json", '{ "extends": "./a.json" }');
    assert.deepEqual(filesOf(program), ONE);
  });

  it("may be one of several", () => {
    using program = new Program({ ...files, "a.json": STRICT, "b.json": MODULES });
    program.write("tsconfig.json", '{ "extends": ["./a.json", "./b.json"] }');
    assert.deepEqual(filesOf(program), ONE);
  });

  it("may lie in a package", () => {
    using program = new Program({
      ...files,
      "node_modules/@company/tsconfig/package.json":
        '{ "name": "@company/tsconfig", "tsconfig": "strict.json" }',
      "node_modules/@company/tsconfig/strict.json": STRICT,
      "node_modules/modules/package.json": '{ "name": "modules", "exports": { "./bundler": "./b.json" } }',
      "node_modules/modules/b.json": MODULES,
    });
    program.write("tsconfig.json", '{ "extends": ["@company/tsconfig", "modules/bundler"] }');
    assert.deepEqual(filesOf(program), ONE);
  });
});

const SHARED = {
  strict: true,
  target: "es2022",
  lib: ["es2022"],
  types: [],
  skipLibCheck: true,
  outDir: "dist",
  rootDir: "src",
};

function config(options: object, more: object = {}): string {
  return JSON.stringify({ compilerOptions: { ...SHARED, ...options }, include: ["src"], ...more });
}

/** A solution of three projects, of which nothing is built. */
const SOLUTION = {
  "tsconfig.json": JSON.stringify({
    files: [],
    references: [{ path: "./app" }, { path: "./lib" }, { path: "./model/tsconfig.build.json" }],
  }),
  "model/tsconfig.build.json": config({ composite: true, ...BUNDLER, paths: { "~/*": ["./src/*"] } }),
  "model/src/money.ts": MONEY,
  "model/src/index.ts": 'export type { Money } from "~/money";',
  "model/src/refund-cash.ts": refund("~/money", "RefundCash"),
  "lib/tsconfig.json": config(
    { composite: true, module: "nodenext" },
    { references: [{ path: "../model/tsconfig.build.json" }] },
  ),
  "lib/package.json": '{ "type": "module" }',
  "lib/src/refund-card.ts": refund("../../model/src/index.js", "RefundCard"),
  "app/tsconfig.json": config(
    { composite: true, ...BUNDLER, paths: { "~/*": ["./src/*"] } },
    { references: [{ path: "../lib" }, { path: "../model/tsconfig.build.json" }] },
  ),
  "app/src/own.ts":
    'export type { Money } from "../../model/src/index";\nexport { RefundCard } from "../../lib/src/refund-card";',
  "app/src/refund-order.ts": refund("~/own"),
};

const APP = {
  refund_card: "../lib/src/refund-card.ts",
  refund_cash: "../model/src/refund-cash.ts",
  refund_order: "src/refund-order.ts",
};

describe("project references", () => {
  it("bring the tools of a whole solution, each read under its own options", () => {
    using program = new Program(SOLUTION);
    assert.deepEqual(filesOf(program), {
      refund_card: "lib/src/refund-card.ts",
      refund_cash: "model/src/refund-cash.ts",
      refund_order: "app/src/refund-order.ts",
    });
  });

  it("bring the tools of what a project with sources of its own stands on", () => {
    using program = new Program(SOLUTION);
    assert.deepEqual(filesOf(program, "app"), APP, "by its folder, as tsc takes it");
    assert.deepEqual(filesOf(program, "app/tsconfig.json"), APP);
    assert.deepEqual(filesOf(program, "model/tsconfig.build.json"), { refund_cash: "src/refund-cash.ts" });
  });

  it("are read from sources, whatever was built of them before", () => {
    const stale = "export interface Money { cents: string }";
    using program = new Program({
      ...SOLUTION,
      "model/dist/index.d.ts": 'export type { Money } from "./money";',
      "model/dist/money.d.ts": stale,
    });
    assert.deepEqual(filesOf(program, "app/tsconfig.json"), APP);
  });

  it("are read from sources even where an editor is told not to", () => {
    const lazy = config(
      {
        composite: true,
        ...BUNDLER,
        paths: { "~/*": ["./src/*"] },
        disableSourceOfProjectReferenceRedirect: true,
      },
      { references: [{ path: "../lib" }, { path: "../model/tsconfig.build.json" }] },
    );
    using program = new Program({ ...SOLUTION, "app/tsconfig.json": lazy });
    assert.deepEqual(filesOf(program, "app/tsconfig.json"), APP);
  });

  it("may lead to projects that are not composite, from a solution, as Vite's templates do", () => {
    const part = (include: string) =>
      JSON.stringify({
        compilerOptions: {
          ...SHARED,
          ...BUNDLER,
          rootDir: undefined,
          tsBuildInfoFile: `./node_modules/.tmp/${include}.tsbuildinfo`,
          allowImportingTsExtensions: true,
          noEmit: true,
        },
        include: [include],
      });
    using program = new Program({
      "tsconfig.json": JSON.stringify({
        files: [],
        references: [{ path: "./tsconfig.app.json" }, { path: "./tsconfig.node.json" }],
      }),
      "tsconfig.app.json": part("src"),
      "tsconfig.node.json": part("vite.config.ts"),
      "src/money.ts": MONEY,
      "src/refund-order.ts": refund("./money.ts"),
      "vite.config.ts": "export default {};",
    });
    assert.deepEqual(filesOf(program), ONE);
  });

  it("may go in circles", () => {
    using program = new Program({
      ...SOLUTION,
      "model/tsconfig.build.json": config(
        { composite: true, ...BUNDLER, paths: { "~/*": ["./src/*"] } },
        { references: [{ path: "../app" }] },
      ),
    });
    assert.equal(Object.keys(filesOf(program)).length, 3);
  });

  it("bring the problems of every project", () => {
    using program = new Program({
      ...SOLUTION,
      "model/src/refund-cash.ts": toolSource("RefundCash", "type In = { at: Date };"),
      "app/src/refund-order.ts": toolSource("RefundOrder", "type In = { at: bigint };"),
    });
    const problems = expectProblems(program.generate()).map(
      ({ file, line, path }) => `${file}:${line} ${path}`,
    );
    assert.deepEqual(problems, ["app/src/refund-order.ts:2 input.at", "model/src/refund-cash.ts:2 input.at"]);
  });

  it("bring the type errors of a project whose types only another one's tools use", () => {
    using program = new Program({
      ...SOLUTION,
      "model/src/refund-cash.ts": "export {};\n",
      "model/src/money.ts": `${MONEY}export const wrong: string = 1;\n`,
    });
    const problems = expectProblems(program.generate()).map(({ file, line }) => `${file}:${line}`);
    assert.deepEqual(problems, ["model/src/money.ts:7"]);
  });

  it("refuse one name for tools of two projects", () => {
    using program = new Program({
      ...SOLUTION,
      "lib/src/refund-card.ts": refund("../../model/src/index.js", "RefundOrder"),
      "app/src/own.ts": 'export type { Money } from "../../model/src/index";',
    });
    const [problem] = expectProblems(program.generate());
    assert.match(problem?.message ?? "", /the tool is called refund_order, as RefundOrder in (?:lib|app)\//);
  });

  it("do not let a project without strictNullChecks hide in a solution", () => {
    using program = new Program({
      ...SOLUTION,
      "model/tsconfig.build.json": config({
        composite: true,
        strict: false,
        ...BUNDLER,
        paths: { "~/*": ["./src/*"] },
      }),
    });
    const [problem] = expectProblems(program.generate());
    assert.equal(problem?.file, "model/tsconfig.build.json");
    assert.match(problem.message, /strictNullChecks/);
  });
});

/** A workspace: `app` uses types of `@shop/model`, which npm has linked into node_modules. */
function workspace(manifest: object, files: Record<string, string>): Program {
  const program = new Program({
    "package.json": '{ "private": true, "workspaces": ["packages/*"] }',
    "packages/model/package.json": JSON.stringify({ name: "@shop/model", type: "module", ...manifest }),
    "packages/app/package.json": '{ "name": "app", "type": "module" }',
    "packages/app/tsconfig.json": config({ module: "nodenext" }),
    "packages/app/src/refund-order.ts": refund("@shop/model"),
    ...files,
  });
  program.link("packages/model", "node_modules/@shop/model");
  return program;
}

const REFERENCE = { references: [{ path: "../model" }] };

describe("generating again after an edit of a solution", () => {
  /** Each with what it does to the solution; after each, what is generated again is what is generated from nothing. */
  const edits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "a type of a referenced project": { "model/src/money.ts": MONEY.replace('"USD"', '"USD" | "GBP"') },
    "a mistake in a referenced project": {
      "model/src/money.ts": `${MONEY}export const wrong: string = 1;\n`,
    },
    "the options of a referenced project": {
      "model/tsconfig.build.json": config({
        composite: true,
        ...BUNDLER,
        paths: { "~/money": ["./src/other.ts"], "~/*": ["./src/*"] },
      }),
      "model/src/other.ts": MONEY.replace("cents", "amount"),
    },
    "the options of the project that references": {
      "app/tsconfig.json": config(
        { composite: true, ...BUNDLER, paths: { "~/*": ["./src/other/*"] } },
        { references: [{ path: "../lib" }, { path: "../model/tsconfig.build.json" }] },
      ),
      "app/src/other/own.ts":
        'export type Money = { other: true };\nexport { RefundCard } from "../../../lib/src/refund-card";',
    },
    "an option that changes what types mean": {
      "lib/tsconfig.json": config(
        { composite: true, module: "nodenext", exactOptionalPropertyTypes: true },
        { references: [{ path: "../model/tsconfig.build.json" }] },
      ),
      "lib/src/refund-card.ts": toolSource("RefundCard", "type In = Partial<{ id: string }> & { at?: 1 };"),
    },
    "a tool in a referenced project": { "lib/src/more.ts": refund("../../model/src/index.js", "RefundMore") },
    "a reference less": {
      "tsconfig.json": JSON.stringify({ files: [], references: [{ path: "./model/tsconfig.build.json" }] }),
    },
    "a tsconfig.json that is broken": { "lib/tsconfig.json": "{ nonsense" },
  };

  it("answers what generating from nothing does", () => {
    using program = new Program(SOLUTION);
    const generator = new SchemaGenerator({ tsconfig: "tsconfig.json", cwd: program.folder });
    const original: Readonly<Record<string, string>> = SOLUTION;
    const again = (what: string): string => {
      const [now, fresh] = [generator.generate(), program.generate()];
      assert.deepEqual(now.problems, fresh.problems, what);
      if (!("text" in now) || !("text" in fresh)) return JSON.stringify(now.problems);
      assert.equal(now.text, fresh.text, what);
      return now.text;
    };
    const first = again("at first");
    for (const [what, files] of Object.entries(edits)) {
      for (const [name, text] of Object.entries(files)) program.write(name, text);
      assert.notEqual(again(what), first, what);
      for (const name of Object.keys(files)) program.write(name, original[name] ?? "export {};\n");
      assert.equal(again(`${what}, taken back`), first, `${what}, taken back`);
    }
  });

  it("makes nothing anew for tools that the edit does not reach", () => {
    using program = new Program({
      ...SOLUTION,
      "app/src/alone.ts": toolSource("PayOut", "type In = { alone: true };"),
    });
    const generator = new SchemaGenerator({ tsconfig: "tsconfig.json", cwd: program.folder });
    const before = expectArtefact(generator.generate()).artefact.tools;
    program.write("model/src/money.ts", MONEY.replace('"USD"', '"USD" | "GBP"'));
    const after = expectArtefact(generator.generate()).artefact.tools;
    assert.notEqual(after.refund_order?.fingerprint, before.refund_order?.fingerprint);
    assert.equal(after.pay_out, before.pay_out);
  });
});

describe("the workspaces of a monorepo", () => {
  it("share types by their sources, with the tools in them", () => {
    using program = workspace(
      { exports: "./src/index.ts" },
      {
        "packages/model/src/index.ts": `export * from "./refund-card.js";\n${MONEY}`,
        "packages/model/src/refund-card.ts": refund("./index.js", "RefundCard"),
      },
    );
    assert.deepEqual(filesOf(program, "packages/app/tsconfig.json"), {
      refund_card: "../model/src/refund-card.ts",
      ...ONE,
    });
  });

  it("share types by their declarations", () => {
    using program = workspace(
      { exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } } },
      { "packages/model/dist/index.d.ts": MONEY },
    );
    assert.deepEqual(filesOf(program, "packages/app/tsconfig.json"), ONE);
  });

  it("share types by their declarations when only their sources are there and they are referenced", () => {
    using program = workspace(
      { exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } } },
      {
        "packages/model/src/index.ts": MONEY,
        "packages/model/tsconfig.json": config({ module: "nodenext", composite: true }),
        "packages/app/tsconfig.json": config({ module: "nodenext" }, REFERENCE),
      },
    );
    assert.deepEqual(filesOf(program, "packages/app/tsconfig.json"), ONE);
    program.write("packages/model/dist/index.d.ts", "export interface Money { cents: string }");
    assert.deepEqual(filesOf(program, "packages/app/tsconfig.json"), ONE, "what was built is not read");
  });

  it("are refused when their declarations are not built", () => {
    using program = workspace(
      { exports: { ".": { types: "./dist/index.d.ts" } } },
      { "packages/model/src/index.ts": MONEY },
    );
    const text = expectProblems(program.generate("packages/app/tsconfig.json")).map(renderProblem).join("\n");
    assert.match(text, /^src\/refund-order\.ts:2:\d+ TS2307: Cannot find module '@shop\/model'/m);
  });

  it("choose among exports by the conditions of the project", () => {
    const options = { module: "esnext", moduleResolution: "bundler", customConditions: ["source"] };
    using program = workspace(
      { exports: { ".": { source: "./src/index.ts", types: "./dist/index.d.ts" } } },
      { "packages/model/src/index.ts": MONEY, "packages/app/tsconfig.json": config(options) },
    );
    assert.deepEqual(filesOf(program, "packages/app/tsconfig.json"), ONE);
  });
});
