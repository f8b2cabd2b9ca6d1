import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  checkDeclarations,
  DeclarationError,
  loadDeclarations,
  renderProblem,
} from "#salvor/declarations/index.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "salvor-declarations-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function declaration(name: string, more = ""): string {
  return `name = "${name}"\neffect = "read"\n${more}\n[input_schema]\ntype = "object"\n`;
}

/** The problems that loading is refused with, with the folder's name left out. */
function problemsOf(...paths: readonly string[]): readonly string[] {
  try {
    loadDeclarations(paths);
  } catch (error) {
    if (error instanceof DeclarationError)
      return error.problems.map((problem) => renderProblem(problem).replaceAll(`${folder}/`, ""));
    throw error;
  }
  return assert.fail("the declarations were accepted");
}

describe("loading", () => {
  it("reads files and folders: the *.toml of a folder, sorted, and nothing else in it", () => {
    const single = write("single.toml", declaration("single"));
    write("tools/b.toml", declaration("b"));
    write("tools/a.toml", declaration("a"));
    write("tools/readme.md", "not a declaration");
    write("tools/deeper/c.toml", "not TOML");
    const { registry, files } = loadDeclarations([single, join(folder, "tools")]);
    assert.deepEqual(registry.names(), ["a", "b", "single"]);
    assert.deepEqual(files, [single, join(folder, "tools/a.toml"), join(folder, "tools/b.toml")]);
  });

  it("takes a file that is named twice once", () => {
    const path = write("a.toml", declaration("a"));
    assert.equal(loadDeclarations([path, path, folder, join(folder, ".", "a.toml")]).registry.size, 1);
  });

  it("accepts a byte order mark and Windows line ends, with the right lines", () => {
    const text = declaration("a", "efect = 1").replaceAll("\n", "\r\n");
    assert.deepEqual(problemsOf(write("a.toml", `\uFEFF${text}`)), [
      "a.toml:3:1: unknown key efect - did you mean effect?",
    ]);
  });

  it("refuses two files with one name and names both", () => {
    const paths = [write("a.toml", declaration("same")), write("b.toml", declaration("same"))];
    assert.deepEqual(problemsOf(...paths), [
      'b.toml:1:1: name "same" is declared already in a.toml - give each tool a name of its own, or leave one of the two out',
    ]);
  });

  it("does so even when the first of the two is faulty in another way", () => {
    const paths = [
      write("a.toml", declaration("same", "x = 1")),
      write("b.toml", declaration("same", "y = 1")),
    ];
    const problems = problemsOf(...paths);
    assert.equal(problems.length, 3);
    assert.match(problems[1] ?? "", /^b\.toml:1:1: name "same" is declared already in a\.toml/);
  });

  it("reports every faulty file at once, and loads nothing then", () => {
    write("a.toml", declaration("a", "x = 1"));
    write("b.toml", declaration("b"));
    write("c.toml", "= 1");
    write("d.toml", new Uint8Array([0x61, 0xff]));
    write("e.toml", `# ${"x".repeat(1024 * 1024)}`);
    const missing = join(folder, "nowhere.toml");
    mkdirSync(join(folder, "empty"));
    const problems = problemsOf(folder, missing, join(folder, "empty"));
    assert.deepEqual(
      problems.map((problem) => problem.replace(/ - .*| Expected.*/, "")),
      [
        "empty: holds no *.toml file",
        "a.toml:3:1: unknown key x",
        "c.toml:1:1: not TOML:",
        "d.toml: is not UTF-8",
        "e.toml: is over 1 MiB",
        "nowhere.toml: cannot be read (ENOENT)",
      ],
    );
  });

  it("does not wait for a pipe that nobody writes to", () => {
    const pipe = join(folder, "pipe.toml");
    execFileSync("mkfifo", [pipe]);
    assert.deepEqual(problemsOf(pipe), ["pipe.toml: is not a regular file - name a file"]);
  });
});

describe("a schema in a file beside the declaration", () => {
  const head = 'name = "a"\neffect = "read"\n';

  it("is read, checked and published like one in the declaration", async () => {
    write("in.json", '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}');
    const path = write("a.toml", `${head}idempotency_key = ["n"]\ninput_schema_path = "in.json"`);
    const tool = loadDeclarations([path]).registry.get("a");
    assert.ok(tool !== undefined);
    assert.equal((await tool.judgeInput({ n: "1" }))[0]?.path, "$.n");
    assert.deepEqual(tool.declaration.input_schema.required, ["n"]);
    assert.ok(!("input_schema_path" in tool.declaration));
  });

  for (const [name, json, problem] of [
    ["missing", undefined, "a.toml:3:1: input_schema_path: in.json cannot be read (ENOENT)"],
    ["no JSON", "{", "a.toml:3:1: input_schema_path: in.json: $: not JSON: "],
    [
      "JSON with a key twice",
      '{"type":"a","type":"b"}',
      "a.toml:3:1: input_schema_path: in.json: $.type: duplicate key",
    ],
    [
      "JSON with an integer that would be rounded",
      '{"const":9007199254740993}',
      "a.toml:3:1: input_schema_path: in.json: $.const: 9007199254740993 is an integer beyond",
    ],
    ["no table", "true", "in.json: input_schema is true"],
    ["no schema", '{"items":{"type":"dict"}}', "in.json: input_schema.items.type: expected one of"],
  ] as const) {
    it(`is refused when it is ${name}, naming the file`, () => {
      if (json !== undefined) write("in.json", json);
      const problems = problemsOf(write("a.toml", `${head}input_schema_path = "in.json"`));
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(problem), problems[0]);
    });
  }
});

describe("checking without a server", () => {
  it("says what a server would load", async () => {
    write("b.toml", declaration("b"));
    write("a.toml", declaration("a"));
    const report = await checkDeclarations([folder]);
    assert.deepEqual(report, {
      ok: true,
      files: [join(folder, "a.toml"), join(folder, "b.toml")],
      tools: ["a", "b"],
      problems: [],
      warnings: [],
    });
  });

  it("says what is wrong instead of throwing", async () => {
    write("a.toml", declaration("a", "x = 1"));
    write("b.toml", declaration("b"));
    const report = await checkDeclarations([folder]);
    assert.equal(report.ok, false);
    assert.deepEqual(report.tools, ["b"]);
    assert.deepEqual(
      report.problems.map(({ file, line, key }) => [file, line, key]),
      [[join(folder, "a.toml"), 3, "x"]],
    );
  });

  it("warns of trust that no client can use", async () => {
    const path = write("a.toml", declaration("a", "trust_completion = true"));
    const { ok, warnings } = await checkDeclarations([path]);
    assert.equal(ok, true);
    assert.deepEqual(warnings.map(renderProblem), [
      `${path}: a has trust_completion = true, but no output_schema, so no client can close its calls - write [output_schema], or leave trust_completion out`,
    ]);
  });
});
