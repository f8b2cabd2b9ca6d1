import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import ts from "typescript";
import { codeBlocks, readPage, root } from "../docs/pages.js";

// Inside the package, so that `salvor/runtime` is what a user of the package gets.
const folder = join(root, `build/runtime-page-${process.pid}`);

describe("docs/runtime.md", () => {
  const page = readPage("docs/runtime.md");
  const blocks = codeBlocks(page).filter(({ language }) => language === "ts");
  const files = blocks.map((_, at) => join(folder, `block-${at}.ts`));

  before(async () => {
    await mkdir(join(folder, "data"), { recursive: true });
    for (const [at, { code }] of blocks.entries()) await writeFile(files[at]!, code);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function run(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [join(folder, "block-0.js"), ...args], {
      env: { ...process.env, DATA: join(folder, "data") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit") as Promise<[code: number | null]>;
    const [printed, [code]] = await Promise.all([text(child.stdout), ended]);
    assert.equal(code, 0);
    return printed;
  }

  it("shows programs that compile as they stand, and the first does what the page says", async () => {
    assert.equal(files.length, 3);
    const program = ts.createProgram(files, {
      strict: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      types: ["node"],
      rootDir: folder,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
    assert.deepEqual(problems, []);
    program.emit();
    assert.equal(await run(), "waiting: Refund 20000 cents?\n");
    assert.ok(page.text.includes("`waiting: Refund 20000 cents?`"));
    assert.equal(await run(), "waiting: Refund 20000 cents?\n");
    assert.match(await run("yes"), /state: 'completed'.*re_A-17_1/s);
    // It runs again to the same end.
    assert.match(await run(), /state: 'completed'.*re_A-17_1/s);
  });
});
