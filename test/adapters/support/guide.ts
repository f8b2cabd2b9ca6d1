import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import ts from "typescript";
import { REFUND_ARTEFACT } from "../../client/support/tools.js";
import { codeBlocks, readPage, root } from "../../docs/pages.js";

/** What a guide's first program finds beside it. The payment breaks as often as a file says, behind its effect. */
const BESIDE: Readonly<Record<string, string>> = {
  "payments.ts": `
    import { existsSync, appendFileSync, rmSync } from "node:fs";
    export const payments = {
      pay(key: string | undefined): void {
        appendFileSync("paid", String(key) + "\\n");
        if (!existsSync("break")) return;
        rmSync("break");
        throw new Error("the connection broke");
      },
    };`,
  "tools.ts": `
    import { Tool, type ToolCtx, type ToolHandler } from "salvor";
    interface Input { order_id: string; amount_cents: number }
    interface Output { refund_id: string; amount_cents: number }
    @Tool("write")
    export class RefundCard implements ToolHandler<Input, Output> {
      constructor(private readonly payments: { pay(key: string | undefined): void }) {}
      call(ctx: ToolCtx, input: Input): Output {
        this.payments.pay(ctx.idempotencyKey);
        return { refund_id: "re_1", amount_cents: input.amount_cents };
      }
    }`,
  "tools.schemas.json": JSON.stringify(REFUND_ARTEFACT),
};

/** The TypeScript of a guide, compiled as a user of the package compiles it, in a folder inside the package. */
export class Guide {
  private constructor(readonly folder: string) {}

  /**
   * Fails where a block does not compile as it stands.
   *
   * @param more further files that the first program finds beside it.
   */
  static async compile(page: string, more: Readonly<Record<string, string>> = {}): Promise<Guide> {
    const folder = join(root, `build/guide-${process.pid}`);
    await mkdir(folder, { recursive: true });
    const blocks = codeBlocks(readPage(page)).filter(({ language }) => language === "ts");
    const files = blocks.map((_, at) => join(folder, `block-${at}.ts`));
    for (const [name, content] of Object.entries({ ...BESIDE, ...more }))
      await writeFile(join(folder, name), content);
    for (const [at, { code }] of blocks.entries()) await writeFile(files[at]!, code);
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
      .map(
        ({ file, messageText }) =>
          `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      );
    assert.deepEqual(problems, []);
    program.emit();
    return new Guide(folder);
  }

  /** Runs the guide's first program to its end; what it prints last is JSON. */
  async runFirst(env: Readonly<Record<string, string>>): Promise<unknown> {
    const child = spawn(process.execPath, [join(this.folder, "block-0.js")], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit") as Promise<[code: number | null]>;
    const [printed, [code]] = await Promise.all([text(child.stdout), ended]);
    assert.equal(code, 0, printed);
    return JSON.parse(printed.trim().split("\n").at(-1) ?? "");
  }

  /** The next payment breaks behind its effect. */
  async breakNextPayment(): Promise<void> {
    await writeFile(join(this.folder, "break"), "");
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
