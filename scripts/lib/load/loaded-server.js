import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { root } from "../root.js";
import { CHARGE_CARD, PAY_OUT, TOOLS } from "./tools.js";

/** How long nothing happens before the store puts its journal away, in milliseconds, and a little more. */
const REST_MS = 12_500;

/** A `salvor serve` under load, and what it takes of the machine. */
export class LoadedServer {
  restMs = REST_MS;
  #child;
  #dir;
  #said = "";

  static async start() {
    const dir = await mkdtemp(join(tmpdir(), "salvor-load-"));
    await mkdir(join(dir, "declared"));
    await writeFile(join(dir, "declared/charge-card.toml"), CHARGE_CARD);
    await writeFile(join(dir, "declared/pay-out.toml"), PAY_OUT);
    await writeFile(join(dir, "tools.mjs"), TOOLS);
    const inspect = fileURLToPath(new URL("say-memory.js", import.meta.url));
    const nodeArgs = ["--expose-gc", "--import", inspect, join(root, "dist/cli/main.js")];
    const args = ["serve", "--bind", "127.0.0.1:0", "--data", join(dir, "data")];
    const tools = ["--client-tool", join(dir, "declared"), "--tools", join(dir, "tools.mjs")];
    const child = spawn(process.execPath, [...nodeArgs, ...args, ...tools], {
      cwd: dir,
      stdio: ["ignore", "pipe", "pipe"],
    });
    process.once("exit", () => child.kill("SIGKILL"));
    child.stderr.pipe(createWriteStream("/dev/null"));
    const server = new LoadedServer(child, dir);
    server.url = await server.#says(/^salvor listening on (\S+)$/m);
    return server;
  }

  constructor(child, dir) {
    this.#child = child;
    this.#dir = dir;
    child.stdout.setEncoding("utf8").on("data", (text) => (this.#said += text));
  }

  /**
   * Waits until it has nothing left to do, and then looks.
   *
   * @param runs how many it was given: once it is at rest, each has its document.
   */
  async lookAtRest(runs) {
    await pause(REST_MS);
    await this.#atRest(runs);
    const streams = await this.#streams();
    this.#said = "";
    this.#child.kill("SIGUSR2");
    const { rss, heap, handles } = JSON.parse(await this.#says(/^memory (.*)$/m));
    const files = await this.#files();
    return { heap_mb: heap / 1e6, rss_mb: rss / 1e6, handles, fds: await this.#fds(), streams, ...files };
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await ended;
    }
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** Until what is asked of it no more is closed on its side too, and every run has its document. */
  async #atRest(runs) {
    let before;
    for (let left = 120; left > 0; left -= 1) {
      const { run_files: ofRuns, other_files: others } = await this.#files();
      const now = `${await this.#fds()} ${ofRuns} ${others}`;
      if (now === before && ofRuns >= runs) return;
      before = now;
      await pause(500);
    }
  }

  async #fds() {
    return (await readdir(`/proc/${this.#child.pid}/fd`)).length;
  }

  async #streams() {
    const answer = await fetch(`${this.url}/metrics`, { headers: { connection: "close" } });
    const text = await answer.text();
    return Number(/^salvor_stream_subscribers (\d+)$/m.exec(text)[1]);
  }

  /** Files of runs, which are kept for as long as the runs; and all others: journal, lock, lists, what is being written. */
  async #files() {
    const data = join(this.#dir, "data");
    const all = await readdir(data, { recursive: true, withFileTypes: true });
    const files = all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const ofRuns = files.filter((file) => file.startsWith(join(data, "runs")));
    // A list names 1000 runs at the most: it grows with them.
    const lists = files.filter((file) => file.startsWith(join(data, "index")));
    return {
      run_files: ofRuns.length + lists.length,
      other_files: files.length - ofRuns.length - lists.length,
    };
  }

  async #says(pattern) {
    for (;;) {
      const match = pattern.exec(this.#said);
      if (match !== null) return match[1];
      if (this.#child.exitCode !== null) throw new Error(`the server ended with ${this.#child.exitCode}`);
      await pause(10);
    }
  }
}
