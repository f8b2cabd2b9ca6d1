import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectArtefact, expectProblems, Program, toolSource } from "./program.js";

const HEAD = 'import { Tool, type ToolCtx, type ToolHandler } from "salvor";\ninterface In { a: string }\n';
const CALL = "call(ctx: ToolCtx, input: In) { return null; }";

function toolsOf(
  files: { readonly [name: string]: string },
  options: { readonly compilerOptions?: object } = {},
) {
  using program = new Program(files, options);
  return expectArtefact(program.generate()).artefact.tools;
}

function problemsOf(source: string) {
  using program = new Program({ "src/a.ts": source });
  return expectProblems(program.generate()).filter(({ message }) => !message.startsWith("TS"));
}

describe("a tool is a class with our own Tool on it", () => {
  it("through an import under another name, a namespace, a re-export and a constant", () => {
    const tools = toolsOf({
      "src/named.ts": `import { Tool as Werkzeug, type ToolCtx } from "salvor";\ninterface In { a: string }\n/** A. */\n@Werkzeug("read") export class Named { ${CALL} }\n`,
      "src/space.ts": `import * as salvor from "salvor";\ninterface In { a: string }\n/** B. */\n@salvor.Tool("write") export class Space { call(ctx: salvor.ToolCtx, input: In) { return null; } }\n`,
      "src/fw.ts": 'export { Tool as Exported } from "salvor";\n',
      "src/again.ts": `import { Exported } from "./fw.js";\nimport type { ToolCtx } from "salvor";\ninterface In { a: string }\n/** C. */\n@Exported("idempotent") export class Again { ${CALL} }\n`,
      "src/constant.ts": `${HEAD}const Mine = Tool;\n/** D. */\n@Mine("read") export class Constant { ${CALL} }\n`,
    });
    assert.deepEqual(
      Object.entries(tools).map(([name, { effect }]) => [name, effect]),
      [
        ["again", "idempotent"],
        ["constant", "read"],
        ["named", "read"],
        ["space", "write"],
      ],
    );
  });

  it("and not a class with somebody else's Tool", () => {
    const other = `export function Tool(effect: string) { return (target: unknown) => { void target; void effect; }; }\n`;
    const tools = toolsOf({
      "src/other.ts": other,
      "src/theirs.ts": `import { Tool } from "./other.js";\n@Tool("write") export class Theirs { call(when: Date) { return when; } }\n`,
      "src/ours.ts": `${HEAD}/** Ours. */\n@Tool("read") export class Ours { ${CALL} }\n`,
      "src/contract/tool.ts": other,
      "src/contract/theirs.ts": `import { Tool } from "./tool.js";\n@Tool("write") export class AlsoTheirs { call() { return 1n; } }\n`,
    });
    assert.deepEqual(Object.keys(tools), ["ours"]);
  });

  it("with standard and with legacy decorators, in .mts files, and under module bundler", () => {
    const source = toolSource("Fine", "type In = { a: string };");
    const standard = toolsOf({ "src/a.ts": source });
    assert.deepEqual(
      toolsOf({ "src/a.ts": source }, { compilerOptions: { experimentalDecorators: true } }),
      standard,
    );
    assert.deepEqual(Object.keys(toolsOf({ "src/a.mts": source })), ["fine"]);
    const bundler = { module: "esnext", moduleResolution: "bundler" };
    assert.deepEqual(toolsOf({ "src/a.ts": source }, { compilerOptions: bundler }), standard);
  });

  it("in a class expression, in a namespace and in a function", () => {
    const tools = toolsOf({
      "src/a.ts": `${HEAD}/** A. */\nexport const Expressed = @Tool("read") class { ${CALL} };\nexport namespace N {\n/** B. */\n@Tool("read") export class Inner { ${CALL} } }\nexport function make() {\n/** C. */\n@Tool("read") class Local { ${CALL} }\nreturn Local; }\n`,
    });
    assert.deepEqual(Object.keys(tools), ["expressed", "inner", "local"]);
  });

  it("named by the option or by its class, described by the option or by its doc comment", () => {
    const tools = toolsOf({
      "src/a.ts": `${HEAD}/** Fetches. */\n@Tool("read") export class HTTPFetch { ${CALL} }
/** Creates.\n * Twice. */\n@Tool("write", { name: "make-ticket", description: "Makes " + "tickets." }) export class CreateTicket { ${CALL} }
/** Old name. */\n@Tool("write", { idempotencyKey: "a" }) export class CreateTicketV2 { ${CALL} }\n`,
    });
    assert.deepEqual(
      Object.entries(tools).map(([name, tool]) => [name, tool.class, tool.description]),
      [
        ["create_ticket_v2", "CreateTicketV2", "Old name."],
        ["http_fetch", "HTTPFetch", "Fetches."],
        ["make-ticket", "CreateTicket", "Makes tickets."],
      ],
    );
  });

  it("whose call may be inherited", () => {
    const tools = toolsOf({
      "src/a.ts": `${HEAD}abstract class Base<I extends object, O> implements ToolHandler<I, O> { abstract run(input: I): O; call(ctx: ToolCtx, input: I): O { return this.run(input); } }\n/** Runs. */\n@Tool("read") export class Derived extends Base<In, number[]> { run(input: In) { return [input.a.length]; } }\n`,
    });
    assert.deepEqual(tools.derived?.output, {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "array",
      items: { type: "number" },
    });
  });
});

describe("a tool that cannot be read off its class is refused", () => {
  const cases: Readonly<Record<string, readonly [source: string, about: RegExp]>> = {
    "an effect that is no literal": [
      `const e = "read" as const;\n/** A. */\n@Tool(e) export class A { ${CALL} }`,
      /effect of @Tool is not a literal/,
    ],
    "an unknown effect": [
      `/** A. */\n@Tool("external" as "read") export class A { ${CALL} }`,
      /"external" is no effect/,
    ],
    "no call of the decorator": [
      `/** A. */\n// @ts-ignore\n@Tool export class A { ${CALL} }`,
      /not called on the class itself/,
    ],
    "a decorator made elsewhere": [
      `const read = Tool("read");\n/** A. */\n@read export class A { ${CALL} }`,
      /not called on the class itself/,
    ],
    "options that are no literal": [
      `const o = { name: "x" };\n/** A. */\n@Tool("read", o) export class A { ${CALL} }`,
      /options of @Tool are not a literal/,
    ],
    "a name that is no literal": [
      `const name = "x";\n/** A. */\n@Tool("read", { name }) export class A { ${CALL} }`,
      /name of @Tool is not a text/,
    ],
    "options that are spread": [
      `const o = {};\n/** A. */\n@Tool("read", { ...o }) export class A { ${CALL} }`,
      /option of @Tool is not a text/,
    ],
    "a bad name": [
      `/** A. */\n@Tool("read", { name: "no good" }) export class A { ${CALL} }`,
      /"no good" is no tool name/,
    ],
    "a name that is too long": [
      `/** A. */\n@Tool("read") export class ${"A".repeat(65)} { ${CALL} }`,
      /is no tool name/,
    ],
    "no description": [`@Tool("read") export class A { ${CALL} }`, /nothing says what the tool does/],
    "a generic class": [
      `/** A. */\n// @ts-ignore\n@Tool("read") export class A<T> { call(ctx: ToolCtx, input: { v: T }) { return null; } }`,
      /generic.*type parameter/,
    ],
    "a generic call": [
      `/** A. */\n@Tool("read") export class A { call<T extends object>(ctx: ToolCtx, input: T) { return null; } }`,
      /type parameter/,
    ],
    "an abstract class": [
      `/** A. */\n// @ts-ignore\n@Tool("read") export abstract class A { ${CALL} }`,
      /abstract/,
    ],
    "no call": [`/** A. */\n// @ts-ignore\n@Tool("read") export class A { run() {} }`, /no call method/],
    "a private call": [
      `/** A. */\n// @ts-ignore\n@Tool("read") export class A { private ${CALL} }`,
      /not public/,
    ],
    "a static call": [
      `/** A. */\n// @ts-ignore\n@Tool("read") export class A { static ${CALL} }`,
      /no call method/,
    ],
    overloads: [
      `/** A. */\n@Tool("read") export class A { call(ctx: ToolCtx, input: In): null; call(ctx: ToolCtx, input: { b: 1 }): null; call() { return null; } }`,
      /overloads/,
    ],
    "one parameter": [
      `/** A. */\n// @ts-ignore\n@Tool("read") export class A { call(ctx: ToolCtx) { return null; } }`,
      /two parameters/,
    ],
    "an optional input": [
      `/** A. */\n// @ts-ignore\n@Tool("read") export class A { call(ctx: ToolCtx, input?: In) { return null; } }`,
      /not optional/,
    ],
    "another input than ToolHandler says": [
      `/** A. */\n@Tool("read") export class A implements ToolHandler<{ a: "x" }, null> { ${CALL} }`,
      /another input than ToolHandler/,
    ],
    "doc comments that differ": [
      `interface D {\n  /** @minLength 1 */\n  a: string }\ninterface E {\n  /** @minLength 2 */\n  a: string }\n/** A. */\n@Tool("read") export class A implements ToolHandler<D, null> { call(ctx: ToolCtx, input: E) { return null; } }`,
      /doc comments.*differ/,
    ],
    "a schema tag on the class": [
      `/** A.\n * @title Nice */\n@Tool("read") export class A { ${CALL} }`,
      /does not apply to a tool class/,
    ],
    "a schema tag on the parameter": [
      `/** A. */\n@Tool("read") export class A { call(ctx: ToolCtx, /** @title x */ input: In) { return null; } }`,
      /does not apply to a parameter/,
    ],
    "a decorator that does not resolve": [
      `import { Tool as Nowhere } from "./nowhere.js";\n/** A. */\n@Nowhere("read") export class A { ${CALL} }`,
      /decorator does not resolve/,
    ],
  };
  for (const [name, [source, about]] of Object.entries(cases)) {
    it(name, () => {
      const problems = problemsOf(HEAD + source);
      assert.ok(
        problems.some(({ message, hint }) => about.test(message) && hint),
        JSON.stringify(problems, null, 2),
      );
      assert.ok(problems.every(({ file, line }) => file === "src/a.ts" && line !== undefined));
    });
  }
});

describe("doc comments of ToolHandler<I, O> hold for the same type written again in call", () => {
  it("on either side", () => {
    const withDocs = "{\n  /** @minLength 2 */\n  a: string }";
    const tools = toolsOf({
      "src/a.ts": `${HEAD}/** A. */\n@Tool("read") export class A implements ToolHandler<${withDocs}, null> { ${CALL} }\n/** B. */\n@Tool("read") export class B implements ToolHandler<In, null> { call(ctx: ToolCtx, input: ${withDocs}) { return null; } }\n`,
    });
    assert.deepEqual(tools.a?.input, tools.b?.input);
    assert.deepEqual(tools.a?.input.properties, { a: { type: "string", minLength: 2 } });
  });
});
