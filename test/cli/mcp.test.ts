import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { SALVOR_MAIN, spawnServer } from "../support/spawn-server.js";
import { toolFiles, type ToolFiles } from "../support/tool-files.js";
import { toolModule } from "../support/tool-module.js";
import { SalvorClient } from "#salvor/client/index.js";

let files: ToolFiles;
let tools: string;
before(async () => {
  files = await toolFiles();
  tools = await files.write("tools.js", toolModule('add("send", "write", () => "sent");'));
});
after(() => files.remove());

/** A `salvor mcp` that runs until it is told to stop, and what it says. */
class Running {
  readonly #child: ChildProcess;
  stdout = "";
  stderr = "";

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, [SALVOR_MAIN, "mcp", ...args], { stdio: "pipe" });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }

  /** What it says on one of its outputs, once that matches. */
  said(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((found, failed) => {
      const look = (): void => {
        const match = pattern.exec(this[stream]);
        if (match !== null) found(match);
      };
      this.#child[stream]?.on("data", look);
      this.#child.once("close", () => {
        failed(new Error(`it ended before it said ${String(pattern)}: ${this.stdout}${this.stderr}`));
      });
      look();
    });
  }

  hangUp(): Promise<number | null> {
    this.#child.stdin?.end();
    return this.#ended();
  }

  terminate(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#ended();
  }

  async #ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, "close");
    return this.#child.exitCode;
  }
}

describe("salvor mcp refuses to start, and says what to type next, for", () => {
  const faults: readonly (readonly [what: string, args: readonly string[], code: number, said: RegExp])[] = [
    ["nothing to serve", [], 2, /nothing to serve.*--tools/],
    ["a module that is not there", ["--tools", "missing.js"], 1, /missing\.js.*not there/],
    ["a port that is none", ["--tools", "x", "--http", "99999"], 2, /HOST:PORT/],
    ["two ways to speak", ["--tools", "x", "--http", "0", "--control", "0"], 2, /--control/],
    ["a store beside another server", ["--client-tools", "http://127.0.0.1:1", "--data", "x"], 2, /--data/],
    [
      "a token that is not there",
      ["--tools", "x", "--http", "0", "--auth-token", "NOT_SET_ANYWHERE"],
      1,
      /NOT_SET/,
    ],
    [
      "an address that others reach",
      ["--tools", "x", "--http", "0.0.0.0:0"],
      1,
      /no client token is asked for/,
    ],
  ];
  for (const [what, args, code, said] of faults)
    it(what, async () => {
      const finished = await runSalvor(["mcp", ...args], { cwd: files.folder });
      assert.equal(finished.code, code, finished.stderr);
      assert.equal(finished.stdout, "");
      assert.match(finished.stderr, said);
      assert.match(finished.stderr, /\nNext: /);
    });

  it("a folder that another process uses, naming that process", async () => {
    const data = join(files.folder, "shared");
    const server = await spawnServer({ dataDir: data });
    const finished = await runSalvor(["mcp", "--tools", tools, "--data", data]);
    assert.equal(finished.code, 1);
    assert.equal(finished.stdout, "");
    assert.match(finished.stderr, new RegExp(`the data folder cannot be used.*${server.pid}`));
    await server.stop();
  });
});

describe("salvor mcp", () => {
  it("prints nothing but the protocol, ends when its client hangs up, and lets go of the folder", async () => {
    const noisy = toolModule(
      'console.log("loading"); process.stdout.write("more"); add("send", "write", () => 1);',
    );
    const module = await files.write("noisy.js", noisy);
    const data = join(files.folder, "data");
    const running = new Running("--tools", module, "--data", data);
    await running.said("stderr", /speaks over standard input and output/);
    assert.equal(await running.hangUp(), 0);
    assert.equal(running.stdout, "");
    assert.match(running.stderr, /loading\nmore/);
    assert.equal(existsSync(join(data, "lock")), false);
  });

  it("ends on SIGTERM with exit 0, also over HTTP, and says first where it listens", async () => {
    const running = new Running("--tools", tools, "--http", "0", "--data", join(files.folder, "http"));
    const [, url = ""] = await running.said(
      "stdout",
      /^salvor mcp listening on (http:\/\/127\.0\.0\.1:\d+)\/mcp$/m,
    );
    assert.match(running.stdout, /^salvor mcp listening/);
    assert.match(running.stdout, /send\s+write/);
    assert.deepEqual((await new SalvorClient({ url }).runs()).runs, []);
    assert.equal(await running.terminate(), 0);
  });

  it("has the control plane beside standard input and output where that is asked for", async () => {
    const running = new Running("--tools", tools, "--control", "0", "--data", join(files.folder, "control"));
    const [, url = ""] = await running.said("stderr", /"control":"(http:[^"]+)"/);
    assert.deepEqual(
      (await new SalvorClient({ url }).hostedTools()).map(({ name }) => name),
      ["send"],
    );
    const mcp = await fetch(`${url}/mcp`, { method: "POST" });
    assert.equal(mcp.status, 404);
    assert.equal(await running.hangUp(), 0);
  });
});
