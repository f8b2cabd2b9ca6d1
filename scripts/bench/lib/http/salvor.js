import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../../../lib/root.js";

/** The tool that the benches call. */
export const DECLARATION = `
name = "charge_card"
effect = "write"
trust_completion = true
require_equal = ["order"]

[input_schema]
type = "object"
required = ["order", "amount_cents"]
additionalProperties = false
[input_schema.properties]
order = { type = "string", maxLength = 64 }
amount_cents = { type = "integer", minimum = 1 }
note = { type = "string", maxLength = 200 }

[output_schema]
type = "object"
required = ["order", "receipt"]
additionalProperties = false
[output_schema.properties]
order = { type = "string", maxLength = 64 }
receipt = { type = "string", maxLength = 64 }
amount_cents = { type = "integer", minimum = 1 }
`;

/** A `salvor serve` of its own on a folder of its own, with everything that it does by default: it logs each request to a file. */
export class Salvor {
  /** A folder with what a server needs before it starts. */
  static async folder() {
    const dir = await mkdtemp(join(process.env.SALVOR_BENCH_DIR ?? tmpdir(), "salvor-bench-"));
    await mkdir(join(dir, "tools"));
    await writeFile(join(dir, "tools/charge-card.toml"), DECLARATION);
    return dir;
  }

  static async start({ nodeArgs = [], dir: given } = {}) {
    const dir = given ?? (await Salvor.folder());
    const child = spawn(
      process.execPath,
      [...nodeArgs, join(root, "dist/cli/main.js"), "serve", "--bind", "127.0.0.1:0"].concat([
        "--data",
        join(dir, "data"),
        "--client-tool",
        join(dir, "tools"),
      ]),
      { cwd: dir, stdio: ["ignore", "pipe", "pipe"] },
    );
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.removeListener("exit", kill));
    child.stderr.pipe(createWriteStream(join(dir, "log")));
    const port = await new Promise((resolve, reject) => {
      let said = "";
      child.stdout.on("data", (text) => {
        const match = /listening on http:\S+:(\d+)$/m.exec((said += text));
        if (match !== null) resolve(Number(match[1]));
      });
      child.once("exit", (code) =>
        reject(new Error(`salvor serve ended with ${code}; its log is ${dir}/log`)),
      );
    });
    return new Salvor(child, dir, port);
  }

  constructor(child, dir, port) {
    this.child = child;
    this.dir = dir;
    this.port = port;
  }

  /** How much of it is in memory, in bytes. */
  async rss() {
    const status = await readFile(`/proc/${this.child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) * 1024;
  }

  /** Resolves once each of so many runs has its document: what was opened just before is no part of what comes. */
  async atRest(runs) {
    const documents = async () => {
      const all = await readdir(join(this.dir, "data/runs"), { recursive: true });
      return all.filter((name) => name.endsWith(".json")).length;
    };
    while ((await documents()) < runs) await pause(200);
  }

  async stop() {
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
    await rm(this.dir, { recursive: true, force: true });
  }
}
