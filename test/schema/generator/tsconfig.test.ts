import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ts from "typescript";
import { renderProblem } from "#salvor/schema/generator/index.js";
import { expectArtefact, expectProblems, Program, toolSource } from "./program.js";

const FINE = toolSource("RefundOrder", "type In = { id: string; note: string | null };");

/** The options of a tsconfig.json that says no more than it must. */
const OPTIONS = '"module": "nodenext", "lib": ["es5"], "types": [], "skipLibCheck": true';

function programOf(
  tsconfig: string,
  options: { readonly files?: Record<string, string>; readonly typescript?: string } = {},
): Program {
  const program = new Program({ "src/refund-order.ts": FINE, ...options.files }, options);
  program.write("tsconfig.json", tsconfig);
  return program;
}

/** What is printed of a tsconfig.json, in one text. */
function refusalOf(tsconfig: string, options: Parameters<typeof programOf>[1] = {}): string {
  const files = { "src/refund-order.ts": "export {};", ...options.files };
  using program = programOf(tsconfig, { ...options, files });
  return expectProblems(program.generate()).map(renderProblem).join("\n");
}

describe("a tsconfig.json with a mistake", () => {
  const cases: readonly {
    readonly what: string;
    readonly tsconfig: string;
    readonly files?: Record<string, string>;
    readonly says: RegExp;
  }[] = [
    {
      what: "a syntax error",
      tsconfig: `{\n  "compilerOptions": { ${OPTIONS} "strict": true }\n}`,
      says: /^tsconfig\.json:2:\d+ TS1005: ',' expected/m,
    },
    {
      what: "an extended file that is not there",
      tsconfig: '{\n  "extends": "./base.json"\n}',
      says: /^tsconfig\.json:2:14 TS5083: Cannot read file '.*base\.json'/m,
    },
    {
      what: "an extended package that is not installed",
      tsconfig: '{\n  "extends": "@company/tsconfig"\n}',
      says: /^tsconfig\.json:2:14 TS6053: File '@company\/tsconfig' not found/m,
    },
    {
      what: "an extended file with a mistake",
      tsconfig: '{ "extends": "./base.json" }',
      files: { "base.json": '{\n  "compilerOptions": {\n    "module": "nodenxt"\n  }\n}' },
      says: /^base\.json:3:15 TS6046: Argument for '--module' option must be/m,
    },
    {
      what: "a circle of extended files",
      tsconfig: '{ "extends": "./base.json" }',
      files: { "base.json": '{ "extends": "./tsconfig.json" }' },
      says: /^(?:tsconfig|base)\.json:1:\d+ TS18000: Circularity/m,
    },
    {
      what: "an include that matches nothing",
      tsconfig: `{\n  "compilerOptions": { "strict": true, ${OPTIONS} },\n  "include": ["source"]\n}`,
      says: /^tsconfig\.json:3:14 TS18003: No inputs were found/m,
    },
    {
      what: "an empty list of files",
      tsconfig: `{\n  "compilerOptions": { "strict": true, ${OPTIONS} },\n  "files": []\n}`,
      says: /^tsconfig\.json:3:12 TS18002: The 'files' list/m,
    },
    {
      what: "a file that is not there",
      tsconfig: `{\n  "compilerOptions": { "strict": true, ${OPTIONS} },\n  "files": ["src/gone.ts"]\n}`,
      says: /^tsconfig\.json:3:13 TS6053: File '.*gone\.ts' not found/m,
    },
    {
      what: "a reference that leads nowhere",
      tsconfig: '{\n  "files": [],\n  "references": [{ "path": "./packages/gone" }]\n}',
      says: /^tsconfig\.json:3:18 TS6053: File '.*packages\/gone' not found/m,
    },
    {
      what: "a reference to a project with a mistake",
      tsconfig: '{\n  "files": [],\n  "references": [{ "path": "./lib" }]\n}',
      files: {
        "lib/tsconfig.json": '{\n  "compilerOptions": { "strict": "yes" }\n}',
        "lib/a.ts": "export {};",
      },
      says: /^lib\/tsconfig\.json:2:34 TS5024: Compiler option 'strict' requires a value of type boolean/m,
    },
    {
      what: "a reference to a project that is not composite",
      tsconfig: `{\n  "compilerOptions": { "strict": true, ${OPTIONS} },\n  "include": ["src"],\n  "references": [{ "path": "./lib" }]\n}`,
      files: { "lib/tsconfig.json": '{ "compilerOptions": { "strict": true } }', "lib/a.ts": "export {};" },
      says: /^tsconfig\.json:4:18 TS6306: Referenced project '.*lib' must have setting "composite": true/m,
    },
    {
      what: "a value of the wrong type",
      tsconfig: `{\n  "compilerOptions": { ${OPTIONS},\n    "strict": "true" }\n}`,
      says: /^tsconfig\.json:3:15 TS5024/m,
    },
    {
      what: "an option that does not go with another",
      tsconfig: `{\n  "compilerOptions": { "strict": true,\n    "module": "commonjs", "moduleResolution": "bundler" }\n}`,
      says: /^tsconfig\.json:3:47 TS5095/m,
    },
    {
      what: "types that are not installed",
      tsconfig: `{\n  "compilerOptions": { "strict": true, "module": "nodenext",\n    "types": ["gone"] }\n}`,
      says: /^tsconfig\.json:3:15 TS2688: Cannot find type definition file for 'gone'/m,
    },
    {
      what: "an option that is misspelt",
      tsconfig: `{\n  "compilerOptions": { ${OPTIONS},\n    "stict": true }\n}`,
      says: /^tsconfig\.json:3:5 TS5025: Unknown compiler option 'stict'\. Did you mean 'strict'\?/m,
    },
  ];

  for (const { what, tsconfig, files, says } of cases) {
    it(`is refused, with its place, for ${what}`, () => {
      assert.match(refusalOf(tsconfig, { ...(files !== undefined && { files }) }), says);
    });
  }

  it("is refused when it is not there at all", () => {
    using program = new Program({ "src/refund-order.ts": FINE });
    const [problem] = expectProblems(program.generate("tsconfig.build.json"));
    assert.match(problem?.message ?? "", /^TS5083: Cannot read file '.*tsconfig\.build\.json'/);
  });

  it("is refused together with every other mistake", () => {
    const text = refusalOf(
      `{\n  "compilerOptions": { "strict": 1,\n "module": "x" },\n  "references": [{ "path": "./gone" }]\n}`,
    );
    assert.match(text, /:2:34 TS5024/);
    assert.match(text, /:3:12 TS6046/);
    assert.match(text, /:4:18 TS6053/);
  });

  it("is told what to do about an option of a compiler to come", () => {
    const text = refusalOf(`{ "compilerOptions": { "strict": true, ${OPTIONS},\n "nextBigThing": true } }`);
    assert.match(text, /^tsconfig\.json:2:2 TS5023: Unknown compiler option 'nextBigThing'/m);
    assert.ok(text.includes(`Instead: what TypeScript ${ts.version} knows`), text);
    assert.match(text, /--tsconfig FILE/);
    const value = refusalOf(
      `{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2031" } }`,
    );
    assert.match(value, /TS6046: Argument for '--target'[^]*Instead: what TypeScript/);
    const lib = refusalOf(`{ "compilerOptions": { "strict": true, "lib": ["es2025", "esnext.temporal"] } }`);
    assert.match(lib, /^tsconfig\.json:1:58 TS6046/m);
    assert.match(lib, /"lib": \["es2025", "esnext\.temporal"\]/, "the line is shown as it is in the file");
    assert.match(lib, /Instead: what TypeScript/);
  });
});

/** What the tool of a tsconfig.json takes, when TypeScript of that package is installed beside it. */
function inputOf(tsconfig: string, typescript?: string, files?: Record<string, string>): unknown {
  const options = { ...(files !== undefined && { files }), ...(typescript !== undefined && { typescript }) };
  using program = programOf(tsconfig, options);
  return expectArtefact(program.generate()).artefact.tools.refund_order?.input;
}

const EXPECTED = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { id: { type: "string" }, note: { type: ["null", "string"] } },
  required: ["id", "note"],
  additionalProperties: false,
};

describe("a tsconfig.json for TypeScript 6 and 7", () => {
  for (const typescript of ["with-typescript-6.0", "with-typescript-7.0"]) {
    it(`has the defaults of ${typescript}`, () => {
      const files = {
        "node_modules/strange/index.d.ts": "export interface Strange { id: string }",
        "node_modules/strange/package.json":
          '{ "name": "strange", "exports": { "./a": { "types": "./index.d.ts" } } }',
        // Found only under "bundler", which reads the exports of a package and needs no extension.
        "src/more.ts":
          'import type { Strange } from "strange/a";\nexport type More = Strange & { note: string | null };',
        "src/refund-order.ts": toolSource(
          "RefundOrder",
          'import type { More } from "./more";\ntype In = More;',
        ),
      };
      assert.deepEqual(inputOf("{}", typescript, files), EXPECTED);
      const strict = '{ "compilerOptions": { "strict": true } }';
      assert.match(refusalOf(strict, { files, typescript: "typescript" }), /the decorator does not resolve/);
    });

    it(`may switch the defaults of ${typescript} off`, () => {
      assert.match(
        refusalOf('{ "compilerOptions": { "lib": ["es5"], "strict": false } }', { typescript }),
        /strictNullChecks/,
      );
      const module = '"module": "commonjs", "moduleResolution": "bundler"';
      assert.deepEqual(inputOf(`{ "compilerOptions": { "lib": ["es5"], ${module} } }`, typescript), EXPECTED);
      assert.deepEqual(
        inputOf('{ "compilerOptions": { "lib": ["es5"], "module": "nodenext" } }', typescript),
        EXPECTED,
      );
    });
  }

  it("counts every package of types only where it says so", () => {
    const files = {
      "node_modules/@types/money/index.d.ts": "declare interface Money { id: string; note: string | null }",
      "node_modules/@types/money/package.json": '{ "name": "@types/money" }',
      "src/refund-order.ts": toolSource("RefundOrder", "type In = Money;"),
    };
    const typescript = "with-typescript-6.0";
    const typed = (types: string) => `{ "compilerOptions": { "lib": ["es5"]${types} } }`;
    assert.match(refusalOf(typed(""), { files, typescript }), /TS2304: Cannot find name 'Money'/);
    assert.deepEqual(inputOf(typed(', "types": ["*"]'), typescript, files), EXPECTED);
    assert.deepEqual(inputOf(typed(', "types": ["money"]'), typescript, files), EXPECTED);
  });

  it("may use the words that only they have", () => {
    const words = [
      '"target": "es2025", "lib": ["ES2025", "dom", "es2025.collection"], "stableTypeOrdering": true',
      '"erasableSyntaxOnly": false, "ignoreDeprecations": "6.0", "baseUrl": "."',
    ].join(", ");
    for (const typescript of ["with-typescript-6.0", "with-typescript-7.0", undefined]) {
      assert.deepEqual(
        inputOf(`{ "compilerOptions": { "strict": true, ${OPTIONS}, ${words} } }`, typescript),
        EXPECTED,
      );
    }
    const base = { "base.json": '{ "compilerOptions": { "target": "es2025" /* es2025 */ } }' };
    const extending = `{ "extends": "./base.json", "compilerOptions": { "strict": true, "module": "nodenext" } }`;
    assert.deepEqual(inputOf(extending, "with-typescript-7.0", base), EXPECTED);
  });

  it("takes the iterables of the DOM with the DOM", () => {
    const tool = FINE.replace("return null!", "for (const one of new Headers()) void one; return null!");
    const files = { "src/refund-order.ts": tool };
    const tsconfig = '{ "compilerOptions": { "lib": ["es2015", "dom"] } }';
    assert.deepEqual(inputOf(tsconfig, "with-typescript-6.0", files), EXPECTED);
  });
});
