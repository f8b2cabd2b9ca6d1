import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import ts from "typescript";
import { SalvorClient } from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";
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
    assert.equal(files.length, 4);
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

    const at = blocks.findIndex(({ code }) => code.includes("startServer"));
    await embedded(join(folder, `block-${at}.js`));
  });

  /** Runs the page's server: it performs its tool, and asks its model. */
  async function embedded(file: string): Promise<void> {
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, DATA: join(folder, "server-data"), PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit") as Promise<[code: number | null]>;
    try {
      const [printed] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer | number | null];
      assert.ok(printed instanceof Buffer, "the server ended before it listened");
      const client = new SalvorClient({ url: printed.toString("utf8").trim() });
      const { run: id, drive_token: driveToken } = await client.openRun();
      const drive = { run: id, driveToken };
      const payload = { agent_def_hash: "desk@1", input: null };
      await client.appendEvents(drive, [envelopeOf(id, 0, "", { kind: "RunStarted", payload })]);
      const refund = await client.toolStep(drive, {
        seq: 1,
        tool: "refund_order",
        input: { order_id: "A-17" },
      });
      assert.deepEqual(refund, { output: { refund_id: "re_A-17" } });
      const said = [];
      const request = { model: "any", messages: [] };
      for await (const event of client.streamModelStep(drive, { seq: 3, request })) said.push(event);
      assert.deepEqual(said, [
        { type: "text_delta", text: "Refund it." },
        {
          type: "complete",
          response: { text: "Refund it." },
          usage: { input_tokens: 12, output_tokens: 3 },
        },
      ]);
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
    assert.equal((await ended)[0], 0);
  }
});
