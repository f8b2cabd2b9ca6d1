import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { text } from "node:stream/consumers";
import ts from "typescript";
import { codeBlocks, readPage, root } from "../docs/pages.js";
import { SalvorClient } from "#salvor/client/index.js";
import { TestServer } from "./support/server.js";
import { ALL, REFUND_ARTEFACT } from "./support/tools.js";

// Inside the package, so that `salvor` and `salvor/client` are what a user of the package gets.
const folder = join(root, `build/clients-page-${process.pid}`);

const BESIDE: Readonly<Record<string, string>> = {
  "payments.ts": `export const payments = { paid: 0 };\n`,
  "tools.ts": `
    import { Tool, type ToolCtx, type ToolHandler } from "salvor";
    interface Input { order_id: string; amount_cents: number }
    interface Output { refund_id: string; amount_cents: number }
    @Tool("write")
    export class RefundCard implements ToolHandler<Input, Output> {
      constructor(private readonly payments: { paid: number }) {}
      call(_ctx: ToolCtx, input: Input): Output {
        this.payments.paid += 1;
        return { refund_id: \`re_\${this.payments.paid}\`, amount_cents: input.amount_cents };
      }
    }`,
  "tools.schemas.json": JSON.stringify(REFUND_ARTEFACT),
};

describe("docs/clients.md", () => {
  const blocks = codeBlocks(readPage("docs/clients.md")).filter(({ language }) => language === "ts");
  const files = blocks.map((_, at) => join(folder, `block-${at}.ts`));

  before(async () => {
    await mkdir(folder, { recursive: true });
    for (const [name, content] of Object.entries(BESIDE)) await writeFile(join(folder, name), content);
    for (const [at, { code }] of blocks.entries()) await writeFile(files[at]!, code);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("shows programs that compile as they stand, and the first of them runs against a server", async () => {
    assert.ok(files.length >= 4);
    const program = ts.createProgram(files, {
      strict: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      resolveJsonModule: true,
      skipLibCheck: true,
      types: ["node"],
      rootDir: folder,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
    assert.deepEqual(problems, []);
    program.emit();

    const server = await TestServer.start(ALL);
    try {
      const child = spawn(process.execPath, [join(folder, "block-0.js")], {
        env: { ...process.env, SALVOR_URL: server.url },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(child, "exit") as Promise<[code: number | null]>;
      const [printed, [code]] = await Promise.all([text(child.stdout), ended]);
      assert.equal(code, 0);
      const { run, refund } = JSON.parse(printed) as { run: string; refund: unknown };
      assert.deepEqual(refund, { refund_id: "re_1", amount_cents: 500 });
      const { status } = await new SalvorClient({ url: server.url }).run(run);
      assert.deepEqual(status, { state: "completed", output: refund });
    } finally {
      await server.remove();
    }
  });
});
