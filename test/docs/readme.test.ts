import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { spawnServer } from "../support/spawn-server.js";
import { codeBlocks, readPage, root } from "./pages.js";
import { bash, patternOf, run } from "./scripts.js";

const blocks = codeBlocks(readPage("README.md"));

function theBlock(language: string): string {
  const found = blocks.filter((block) => block.language === language);
  assert.equal(found.length, 1, `the README has one block of ${language}`);
  return found[0]?.code ?? "";
}

/** A program that drives the README's class against the README's declaration, with a provider that is always willing. */
const MAIN = `
import { ToolSet } from "salvor";
import { ClientRun, SalvorClient } from "salvor/client";
import schemas from "./tools.schemas.json" with { type: "json" };
import { RefundCard } from "./refund-card.js";

const keys: (string | undefined)[] = [];
const payments = {
  async refund(input: { amount_cents: number }, options: { key: string | undefined }) {
    keys.push(options.key);
    return { refund_id: "re_1", amount_cents: input.amount_cents };
  },
};
const tools = new ToolSet(schemas).register(new RefundCard(payments));
const client = new SalvorClient({ url: process.argv[2] ?? "" });
const run = await ClientRun.open(client, tools, { agentDefHash: "by hand", input: null });
const input = { order_id: "A-17", amount_cents: 500 };
const outputs = [await run.perform("refund_card", input), await run.perform("refund_card", input)];
console.log(JSON.stringify({ keys, outputs }));
`;

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    rootDir: ".",
    outDir: "dist",
  },
  include: ["*.ts"],
};

describe("the README", () => {
  let folder: string;
  const declaration = (): string => join(folder, "refund-card.toml");
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "salvor-readme-"));
    writeFileSync(declaration(), theBlock("toml"));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows a declaration that passes every check", async () => {
    const { code, stdout, stderr } = await runSalvor(["check", declaration()]);
    assert.equal(code, 0, stdout + stderr);
  });

  it("shows a run by hand that the server answers as it says", async () => {
    const server = await spawnServer({ args: ["--client-tool", declaration()] });
    try {
      const script = theBlock("sh");
      const printed = await bash(script.replaceAll("http://127.0.0.1:8080", server.url));
      const promised = script.split("\n").filter((line) => line.startsWith("# {"));
      assert.ok(promised.length >= 5);
      const answers = printed.split("\n").filter((line) => line !== "");
      assert.equal(answers.length, promised.length, printed);
      promised.forEach((promise, at) => {
        assert.match(answers[at] ?? "", patternOf(promise.slice("# ".length)));
      });
    } finally {
      await server.stop();
    }
  });

  it("shows a tool class that compiles, has schemas, and performs the declared tool once", async () => {
    const project = join(folder, "project");
    mkdirSync(join(project, "node_modules"), { recursive: true });
    symlinkSync(root, join(project, "node_modules/salvor"));
    const put = (name: string, text: string) => {
      writeFileSync(join(project, name), text);
    };
    put("package.json", JSON.stringify({ type: "module" }));
    put("tsconfig.json", JSON.stringify(TSCONFIG));
    put("refund-card.ts", theBlock("ts"));
    const generated = await runSalvor(["schemas", "--out", "tools.schemas.json"], { cwd: project });
    assert.equal(generated.code, 0, generated.stdout + generated.stderr);
    put("main.ts", MAIN);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const compiled = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
    assert.equal(compiled.status, 0, compiled.stdout + compiled.stderr);

    const server = await spawnServer({ args: ["--client-tool", declaration()] });
    try {
      const ran = await run(process.execPath, [join(project, "dist/main.js"), server.url]);
      const { keys, outputs } = JSON.parse(ran) as { keys: string[]; outputs: unknown[] };
      assert.equal(keys.length, 1, "the same refund, asked for twice, is performed once");
      assert.match(keys[0] ?? "", /^sha256:[0-9a-f]{64}$/);
      assert.deepEqual(outputs, Array(2).fill({ refund_id: "re_1", amount_cents: 500 }));
    } finally {
      await server.stop();
    }
  });

  it("names commands that npm has", () => {
    const { scripts } = JSON.parse(readPage("package.json").text) as { scripts: Record<string, string> };
    const commands = blocks.filter(({ language, code }) => language === "" && code.startsWith("npm "));
    assert.equal(commands.length, 1);
    for (const name of ["start", "demo"]) assert.ok(Object.hasOwn(scripts, name), name);
  });
});
