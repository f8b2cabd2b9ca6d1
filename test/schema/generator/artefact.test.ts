import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectArtefact, expectProblems, Program, toolSource } from "./program.js";

const FILES = {
  "src/orders/line.ts": "export interface Line { sku: string }\n",
  "src/refunds/line.ts": "export interface Line { amount: number }\n",
  "src/refund-order.ts": `import { Tool, type ToolCtx, type ToolHandler } from "salvor";
import type { Line as Ordered } from "./orders/line.js";
import type { Line } from "./refunds/line.js";
export interface RefundInput { ordered: Ordered[]; refunded: Line[] }
/** Refund a paid order. */
@Tool("write")
export class RefundOrder implements ToolHandler<RefundInput, { id: string }> {
  async call(ctx: ToolCtx, input: RefundInput) {
    return { id: String(input.refunded.length) };
  }
}
`,
  "src/http-fetch.ts": toolSource("HTTPFetch", "type In = { url: string; mode: 'b' | 'a' };"),
};

function textOf(files: { readonly [name: string]: string }): string {
  using program = new Program(files);
  return expectArtefact(program.generate()).text;
}

describe("the artefact", () => {
  const text = textOf(FILES);

  it("is the same bytes from another folder, and on another run", () => {
    assert.equal(textOf(FILES), text);
  });

  it("has its keys in order, relative paths, no time and one line feed at the end", () => {
    const artefact = JSON.parse(text) as { tools: { refund_order: { file: string } }; generator: object };
    assert.deepEqual(Object.keys(artefact), ["formatVersion", "generator", "inputs", "tools"]);
    assert.deepEqual(Object.keys(artefact.tools), ["http_fetch", "refund_order"]);
    assert.deepEqual(Object.keys(artefact.tools.refund_order), [
      "class",
      "description",
      "effect",
      "file",
      "fingerprint",
      "input",
      "output",
    ]);
    assert.equal(artefact.tools.refund_order.file, "src/refund-order.ts");
    assert.deepEqual(Object.keys(artefact.generator), ["salvor", "typescript", "typescriptJsonSchema"]);
    assert.match(text, /[^\n]\n$/);
  });

  it("tells two types of one name apart", () => {
    const { tools } = JSON.parse(text) as {
      tools: { refund_order: { input: { properties: unknown; definitions: object } } };
    };
    const { properties, definitions } = tools.refund_order.input;
    assert.deepEqual(Object.keys(definitions), ["Line", "Line_2"]);
    assert.deepEqual(properties, {
      ordered: { items: { $ref: "#/definitions/Line" }, type: "array" },
      refunded: { items: { $ref: "#/definitions/Line_2" }, type: "array" },
    });
  });

  it("is unchanged by an edit of a body, of white space, of plain comments and of other files", () => {
    const source = FILES["src/refund-order.ts"];
    const edits = {
      body: source.replace("String(input.refunded.length)", '`r-${input.ordered.length}-${"b"}`'),
      whitespace: source.replace(/\n/g, "\n\n").replace("{ ordered:", "{\n\n      ordered:"),
      lineEnds: source.replace(/\n/g, "\r\n"),
      comments: `// A plain comment.\n${source}/* Another. */\n`,
    };
    for (const [name, edited] of Object.entries(edits)) {
      assert.equal(textOf({ ...FILES, "src/refund-order.ts": edited }), text, name);
    }
    // Another file makes the compiler meet the literals, and the types, in another order.
    const earlier =
      "import type { Line } from './refunds/line.js';\nexport const first: 'a' | 'b' = 'a';\nexport type L = Line;\n";
    assert.equal(textOf({ "src/a-first.ts": earlier, ...FILES }), text);
  });

  it("changes with a type, an effect or a description, in the hash of that file only", () => {
    const inputs = (artefact: string): Record<string, string> =>
      (JSON.parse(artefact) as { inputs: Record<string, string> }).inputs;
    const before = inputs(text);
    const source = FILES["src/refund-order.ts"];
    const edits = [
      source.replace("ordered: Ordered[]", "ordered?: Ordered[]"),
      source.replace('@Tool("write")', '@Tool("idempotent")'),
      source.replace("Refund a paid order.", "Refund an order."),
    ];
    for (const edited of edits) {
      const after = inputs(textOf({ ...FILES, "src/refund-order.ts": edited }));
      assert.notEqual(after["src/refund-order.ts"], before["src/refund-order.ts"]);
      assert.equal(after["src/http-fetch.ts"], before["src/http-fetch.ts"]);
    }
  });

  it("changes with a type in a file that declares no tool", () => {
    const changed = textOf({
      ...FILES,
      "src/orders/line.ts": "export interface Line { sku: string; n?: number }\n",
    });
    assert.notEqual(changed, text);
  });

  it("carries numbers, names and texts of any script", () => {
    const source = toolSource(
      "Wide",
      "interface In {\n  /** Größe in \u{1F4CF} */\n  größe: 1e21 | -0.5;\n}",
    );
    const { artefact } = (() => {
      using program = new Program({ "src/wide.ts": source });
      return expectArtefact(program.generate());
    })();
    assert.deepEqual(artefact.tools.wide?.input.properties, {
      größe: { type: "number", enum: [-0.5, 1e21], description: "Größe in \u{1F4CF}" },
    });
  });
});

describe("problems", () => {
  it("are all reported in one run, in the order of files and lines, with the code at fault", () => {
    using program = new Program({
      "src/a.ts": toolSource("First", "type In = {\n  at: Date;\n  f: () => void;\n};"),
      "src/b.ts": toolSource("Second", "type In = { n: bigint };"),
    });
    const problems = expectProblems(program.generate());
    assert.deepEqual(
      problems.map(({ file, line, path }) => [file, line, path]),
      [
        ["src/a.ts", 3, "input.at"],
        ["src/a.ts", 4, "input.f"],
        ["src/b.ts", 2, "input.n"],
      ],
    );
    assert.equal(problems[0]?.frame, "3 |   at: Date;\n  |   ^^^^^^^^^");
  });

  it("name two tools of one name, and both files", () => {
    using program = new Program({
      "src/a.ts": toolSource("Same", "type In = {};"),
      "src/b.ts": toolSource("Same", "type In = {};"),
    });
    const [problem] = expectProblems(program.generate());
    assert.match(problem?.message ?? "", /the tool is called same, as Same in src\/a\.ts is/);
    assert.equal(problem?.file, "src/b.ts");
  });

  it("report a tsconfig.json that is missing, broken or unknown in part, and one without strict nulls", () => {
    const tool = { "src/a.ts": toolSource("Fine", "type In = { a: string };") };
    using broken = new Program(tool);
    broken.write("tsconfig.json", "{ nonsense");
    assert.match(expectProblems(broken.generate())[0]?.message ?? "", /TS\d+/);
    using unknown = new Program(tool, { compilerOptions: { strickt: true } });
    assert.match(expectProblems(unknown.generate())[0]?.message ?? "", /strickt/);
    using loose = new Program(tool, { compilerOptions: { strict: false } });
    assert.match(expectProblems(loose.generate())[0]?.message ?? "", /strictNullChecks/);
    using empty = new Program({});
    assert.match(expectProblems(empty.generate())[0]?.message ?? "", /TS18003/);
  });

  it("report type errors in the files that tools' types come from, and leave others to the compiler", () => {
    const types = { "src/types.ts": "export interface In { a: string }\nexport const wrong: string = 1;\n" };
    const tool = toolSource("Fine", 'import type { In } from "./types.js";');
    using touched = new Program({ ...types, "src/a.ts": tool });
    const [problem] = expectProblems(touched.generate());
    assert.deepEqual([problem?.file, problem?.line], ["src/types.ts", 2]);
    using apart = new Program({
      "src/a.ts": toolSource("Fine", "type In = {};"),
      "src/b.ts": "export const wrong: string = 1;\n",
    });
    expectArtefact(apart.generate());
  });
});
