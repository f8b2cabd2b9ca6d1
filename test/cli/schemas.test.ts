import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSchemas } from "#salvor/cli/schemas.js";
import { Program, toolSource } from "../schema/generator/program.js";

async function run(program: Program, flags: { readonly check?: boolean; readonly json?: boolean } = {}) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runSchemas(
    {
      tsconfig: join(program.folder, "tsconfig.json"),
      out: join(program.folder, "generated/tools.schemas.json"),
      check: flags.check ?? false,
      json: flags.json ?? false,
    },
    { stdout: (line) => stdout.push(line), stderr: (line) => stderr.push(line) },
  );
  return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
}

function artefactOf(program: Program): string {
  return readFileSync(join(program.folder, "generated/tools.schemas.json"), "utf8");
}

const FINE = toolSource("RefundOrder", "type In = { id: string };");
const WIDER = toolSource("RefundOrder", "type In = { id: string; note?: string };");
const WRONG = toolSource("RefundOrder", "type In = { at: Date };");

describe("salvor schemas", () => {
  it("writes the artefact, with nothing beside it, and says so", async () => {
    using program = new Program({ "src/a.ts": FINE });
    const { code, stdout, stderr } = await run(program);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /tools\.schemas\.json: 1 tool$/);
    assert.deepEqual(readdirSync(join(program.folder, "generated")), ["tools.schemas.json"]);
    assert.ok("refund_order" in (JSON.parse(artefactOf(program)) as { tools: object }).tools);
    assert.match((await run(program)).stdout, /unchanged$/);
  });

  it("leaves the old artefact alone when there is a problem, and exits 1", async () => {
    using program = new Program({ "src/a.ts": FINE });
    await run(program);
    const before = artefactOf(program);
    program.write("src/a.ts", WRONG);
    const { code, stdout, stderr } = await run(program);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^src\/a\.ts:2:13 RefundOrder input\.at: Date is not JSON$/m);
    assert.match(stderr, /^ {4}2 \| type In = \{ at: Date \};$/m);
    assert.match(stderr, /^ {4}Instead: string/m);
    assert.match(stderr, /^1 problem; nothing was written$/m);
    assert.equal(artefactOf(program), before);
    assert.deepEqual(readdirSync(join(program.folder, "generated")), ["tools.schemas.json"]);
  });

  it("leaves the old artefact alone when a tsconfig.json that it stands on is broken, and exits 1", async () => {
    using program = new Program({ "src/a.ts": FINE });
    await run(program);
    const before = artefactOf(program);
    const own = readFileSync(join(program.folder, "tsconfig.json"), "utf8");
    for (const [broken, says] of [
      [own.slice(0, -1), /^tsconfig\.json:1:\d+ TS1005/m],
      ['{\n  "extends": "./gone.json"\n}', /^tsconfig\.json:2:14 TS5083/m],
      ['{\n  "files": [],\n  "references": [{ "path": "gone" }]\n}', /^tsconfig\.json:3:18 TS6053/m],
    ] as const) {
      program.write("tsconfig.json", broken);
      for (const check of [false, true]) {
        const { code, stdout, stderr } = await run(program, { check });
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr, says);
      }
      assert.equal(artefactOf(program), before);
    }
  });

  it("writes nothing where there was nothing when there is a problem", async () => {
    using program = new Program({ "src/a.ts": WRONG });
    assert.equal((await run(program)).code, 1);
    assert.ok(!existsSync(join(program.folder, "generated")));
  });

  it("writes an artefact for a program that already imports it", async () => {
    const source = `import schemas from "../generated/tools.schemas.json" with { type: "json" };\nvoid schemas;\n${FINE}`;
    using program = new Program({ "src/a.ts": source });
    assert.deepEqual((await run(program)).stderr, "");
    assert.equal((await run(program, { check: true })).code, 0);
    program.write("src/a.ts", source.replace("generated", "elsewhere"));
    assert.match((await run(program)).stderr, /TS2307/);
  });

  it("warns about a program without tools", async () => {
    using program = new Program({ "src/a.ts": "export const a = 1;\n" });
    const { code, stderr } = await run(program);
    assert.equal(code, 0);
    assert.match(stderr, /no class with @Tool/);
  });

  it("answers one JSON document with --json", async () => {
    using program = new Program({ "src/a.ts": FINE });
    const fine = JSON.parse((await run(program, { json: true })).stdout) as object;
    assert.deepEqual({ ...fine, out: "" }, { ok: true, out: "", tools: ["refund_order"], changed: true });
    program.write("src/a.ts", WRONG);
    const { code, stdout } = await run(program, { json: true });
    const wrong = JSON.parse(stdout) as { ok: boolean; problems: { path: string; line: number }[] };
    assert.deepEqual(
      [code, wrong.ok, wrong.problems[0]?.path, wrong.problems[0]?.line],
      [1, false, "input.at", 2],
    );
  });
});

describe("salvor schemas --check", () => {
  it("exits 0 when the file is up to date, and after an edit of a body", async () => {
    using program = new Program({ "src/a.ts": FINE });
    await run(program);
    assert.equal((await run(program, { check: true })).code, 0);
    program.write("src/a.ts", FINE.replace("return null!", "void 1; return null!"));
    assert.equal((await run(program, { check: true })).code, 0);
  });

  it("exits 2 after an edit of a type, says which tool changed, and writes nothing", async () => {
    using program = new Program({ "src/a.ts": FINE });
    await run(program);
    const before = artefactOf(program);
    program.write("src/a.ts", WIDER);
    program.write("src/b.ts", toolSource("Added", "type In = {};"));
    const { code, stderr } = await run(program, { check: true });
    assert.equal(code, 2);
    assert.match(stderr, /refund_order: input changed$/m);
    assert.match(stderr, /added: is new$/m);
    assert.equal(artefactOf(program), before);
    const { stdout } = await run(program, { check: true, json: true });
    assert.deepEqual((JSON.parse(stdout) as { differences: string[] }).differences, [
      "added: is new",
      "refund_order: input changed",
    ]);
  });

  it("exits 2 when the file is missing, broken, or written by hand, or a tool is gone", async () => {
    using program = new Program({ "src/a.ts": FINE, "src/b.ts": toolSource("Gone", "type In = {};") });
    assert.match((await run(program, { check: true })).stderr, /the file is missing/);
    await run(program);
    const text = artefactOf(program);
    program.write("generated/tools.schemas.json", `${text}\n`);
    assert.match((await run(program, { check: true })).stderr, /no tool changed/);
    program.write("generated/tools.schemas.json", "[1");
    assert.match((await run(program, { check: true })).stderr, /no schema artefact/);
    program.write("generated/tools.schemas.json", text);
    program.write("src/b.ts", "export {};\n");
    const { code, stderr } = await run(program, { check: true });
    assert.equal(code, 2);
    assert.match(stderr, /gone: is no tool any more/);
  });

  it("exits 1 when there is a problem", async () => {
    using program = new Program({ "src/a.ts": WRONG });
    assert.equal((await run(program, { check: true })).code, 1);
  });
});
