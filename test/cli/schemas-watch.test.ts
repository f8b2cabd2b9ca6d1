import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { Readable } from "node:stream";
import { runSalvor } from "../support/run-salvor.js";
import { SALVOR_MAIN } from "../support/spawn-server.js";
import { Program, toolSource } from "../schema/generator/program.js";

const TYPED = (type: string): string => toolSource("RefundOrder", `type In = ${type};`);
const OUT = "generated/tools.schemas.json";

/** `salvor schemas --watch` in a process of its own. */
class Watched implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exit: Promise<unknown[]>;
  #heard = "";
  #listen: () => void = () => undefined;

  constructor(
    readonly program: Program,
    ...flags: readonly string[]
  ) {
    this.#child = spawn(process.execPath, [SALVOR_MAIN, "schemas", "--watch", "--out", OUT, ...flags], {
      cwd: program.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#exit = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#heard += text;
        this.#listen();
      });
    }
    void this.#exit.then(() => {
      this.#listen();
    });
  }

  /** Everything that is said from now on up to the end of a line that matches. */
  async until(line: RegExp): Promise<string> {
    for (;;) {
      const lines = this.#heard.split("\n");
      const at = lines.slice(0, -1).findIndex((text) => line.test(text));
      if (at >= 0) {
        this.#heard = lines.slice(at + 1).join("\n");
        return lines.slice(0, at + 1).join("\n");
      }
      if (this.#child.exitCode !== null) throw new Error(`ended without ${String(line)}:\n${this.#heard}`);
      await new Promise<void>((heard) => (this.#listen = heard));
    }
  }

  artefact(): string {
    return readFileSync(join(this.program.folder, OUT), "utf8");
  }

  /** Ends it with a signal; answers what it exits with. */
  async end(signal: NodeJS.Signals = "SIGINT"): Promise<unknown> {
    this.#child.kill(signal);
    return (await this.#exit)[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.end("SIGKILL");
  }
}

describe("salvor schemas --watch", { timeout: 180_000 }, () => {
  it("writes the file again after each edit and says in one line what changed, until Ctrl-C ends it with 0", async () => {
    using program = new Program({
      "src/a.ts": TYPED("{ id: string }"),
      "src/b.ts": toolSource("PayOut", "type In = {};"),
    });
    await using watched = new Watched(program);
    assert.match(
      await watched.until(/watching/),
      /^generated\/tools\.schemas\.json: 2 tools \(\d+ ms\); watching until Ctrl-C$/,
    );
    const before = watched.artefact();

    program.write("src/a.ts", TYPED("{ id: string; note?: string }"));
    assert.match(
      await watched.until(/./),
      /^generated\/tools\.schemas\.json: refund_order: input changed \(src\/a\.ts; \d+ ms\)$/,
    );
    assert.match(watched.artefact(), /"note"/);
    assert.equal((await runSalvor(["schemas", "--check", "--out", OUT], { cwd: program.folder })).code, 0);

    program.write("src/a.ts", TYPED("{ id: string }"));
    await watched.until(/refund_order: input changed/);
    assert.equal(watched.artefact(), before);

    program.write("src/a.ts", `${TYPED("{ id: string }")}\n// Nothing that matters.\n`);
    assert.match(await watched.until(/./), /: unchanged \(src\/a\.ts; \d+ ms\)$/);
    assert.deepEqual(readdirSync(join(program.folder, "generated")), ["tools.schemas.json"]);
    assert.equal(await watched.end(), 0);
  });

  it("tells every problem with its frame and leaves the old file, whatever an edit leaves behind", async () => {
    using program = new Program({ "src/a.ts": TYPED("{ id: string }") });
    await using watched = new Watched(program);
    await watched.until(/watching/);
    const before = watched.artefact();
    const tsconfig = readFileSync(join(program.folder, "tsconfig.json"), "utf8");

    program.write("src/a.ts", TYPED("{ at: Date; n: bigint }"));
    const wrong = await watched.until(/stays as it is/);
    assert.match(wrong, /^src\/a\.ts:2:13 RefundOrder input\.at: Date is not JSON$/m);
    assert.match(wrong, /^ {4}2 \| type In = \{ at: Date; n: bigint \};$/m);
    assert.match(wrong, /^src\/a\.ts:2:23 RefundOrder input\.n: bigint is not JSON$/m);
    assert.match(wrong, /^2 problems; generated\/tools\.schemas\.json stays as it is \(\d+ ms\)$/m);

    for (const half of [
      'import { Tool } from "salv',
      TYPED("{ id: str").slice(0, 90),
      "\u0000\u0001}}}",
      TYPED("{ id: Missing }"),
    ]) {
      program.write("src/a.ts", half);
      await watched.until(/\(src\/a\.ts|stays as it is/);
    }
    program.write("src/a.ts", TYPED("{ id: string }"));
    await watched.until(/tools\.schemas\.json: .*\(src\/a\.ts/);
    assert.equal(watched.artefact(), before);

    for (const half of ["{ nonsense", "", '{ "extends": "./nowhere.json" }', '{ "files": [] }']) {
      program.write("tsconfig.json", half);
      assert.match(await watched.until(/stays as it is/), /TS\d+|strictNullChecks/);
    }
    rmSync(join(program.folder, "tsconfig.json"));
    await watched.until(/stays as it is/);
    assert.equal(watched.artefact(), before);
    program.write("tsconfig.json", tsconfig);
    assert.match(await watched.until(/tools\.schemas\.json: /), /: unchanged \(/);
    assert.equal(await watched.end("SIGTERM"), 0);
  });

  it("notices added, renamed and removed files, new folders, files that were missing, and edits of tsconfig.json", async () => {
    using program = new Program({ "src/a.ts": TYPED("{ id: string }") });
    await using watched = new Watched(program);
    await watched.until(/watching/);

    program.write("src/deep/er/b.ts", toolSource("PayOut", "type In = {};"));
    await watched.until(/pay_out: is new/);
    // In a folder that was new itself.
    program.write("src/deep/er/b.ts", toolSource("PayOut", "type In = { iban: string };"));
    await watched.until(/pay_out: input changed/);
    renameSync(join(program.folder, "src/deep/er/b.ts"), join(program.folder, "src/deep/c.ts"));
    await watched.until(/pay_out: file changed/);
    rmSync(join(program.folder, "src/deep"), { recursive: true });
    await watched.until(/pay_out: is no tool any more/);

    program.write("src/a.ts", TYPED('import("../types/money.js").Money'));
    assert.match(await watched.until(/stays as it is/), /money/);
    program.write("types/money.ts", "export interface Money { amount: number }\n");
    await watched.until(/refund_order: input changed/);
    // As editors do it: written beside, and renamed.
    const beside = join(program.folder, "types/.money.ts.swp");
    mkdirSync(dirname(beside), { recursive: true });
    writeFileSync(beside, "export interface Money { amount: number; currency: string }\n");
    renameSync(beside, join(program.folder, "types/money.ts"));
    await watched.until(/refund_order: input changed/);

    const tsconfig = readFileSync(join(program.folder, "tsconfig.json"), "utf8");
    program.write("tsconfig.json", tsconfig.replace('"strict":true', '"strict":false'));
    assert.match(await watched.until(/stays as it is/), /strictNullChecks/);
    program.write("tsconfig.json", tsconfig);
    await watched.until(/: unchanged \(/);
    assert.equal(await watched.end(), 0);
  });

  it("notices edits in a project that is referenced, and of its settings", async () => {
    const options = { strict: true, types: [], lib: ["es2023"], skipLibCheck: true, module: "nodenext" };
    const settings = (more: object): string =>
      JSON.stringify({ compilerOptions: { ...options, ...more }, include: ["src"] });
    using program = new Program(
      {
        "src/a.ts": TYPED('import("../parts/model/src/money.js").Money'),
        "base.json": settings({}),
        "parts/model/tsconfig.json": JSON.stringify({
          extends: "../../base.json",
          compilerOptions: { composite: true },
          include: ["src"],
        }),
        "parts/model/package.json": '{ "type": "module" }',
        "parts/model/src/money.ts": "export interface Money { cents: number }\n",
      },
      { tsconfig: { references: [{ path: "./parts/model" }] } },
    );
    await using watched = new Watched(program);
    await watched.until(/watching/);
    program.write("parts/model/src/money.ts", "export interface Money { cents: number; note?: string }\n");
    assert.match(
      await watched.until(/./),
      /: refund_order: input changed \(parts\/model\/src\/money\.ts; \d+ ms\)$/,
    );
    program.write("parts/model/src/pay-out.ts", toolSource("PayOut", "type In = {};"));
    assert.match(await watched.until(/./), /: pay_out: is new \(/);
    program.write("base.json", settings({ strict: false }));
    assert.match(await watched.until(/stays as it is/), /parts\/model\/tsconfig\.json.*strictNullChecks/);
    program.write("base.json", settings({}));
    await watched.until(/: unchanged \(/);
    assert.equal(await watched.end(), 0);
  });

  it("answers a JSON document for each edit with --json", async () => {
    using program = new Program({ "src/a.ts": TYPED("{ id: string }") });
    await using watched = new Watched(program, "--json");
    const first = JSON.parse(await watched.until(/./)) as object;
    assert.deepEqual(
      { ...first, ms: 0 },
      { ok: true, out: OUT, tools: ["refund_order"], changed: true, edited: [], ms: 0 },
    );
    program.write("src/a.ts", TYPED("{ at: Date }"));
    const wrong = JSON.parse(await watched.until(/./)) as {
      ok: boolean;
      problems: { path: string }[];
      edited: string[];
    };
    assert.deepEqual(
      [wrong.ok, wrong.problems.map(({ path }) => path), wrong.edited],
      [false, ["input.at"], ["src/a.ts"]],
    );
    assert.equal(await watched.end(), 0);
  });

  it("cannot be combined with --check", async () => {
    const { code, stderr } = await runSalvor(["schemas", "--watch", "--check"]);
    assert.equal(code, 2);
    assert.match(stderr, /--check .* cannot be combined with --watch\nNext: salvor schemas --watch/);
  });
});
