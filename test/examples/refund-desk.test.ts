import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { RUN_STATES } from "#salvor/log/fold.js";
import { runSalvor } from "../support/run-salvor.js";

const root = join(import.meta.dirname, "../../..");
const example = join(root, "examples/refund-desk");

/** The story, told with a folder for temporary files that is nobody else's. */
class Telling {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  #said = "";
  #heard: () => void = () => undefined;

  constructor(
    readonly temp: string,
    args: readonly string[],
  ) {
    this.child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, TMPDIR: temp },
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, as a terminal makes one.
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
        this.#heard();
      });
    }
    this.ended = once(this.child, "close").finally(() => {
      this.#heard();
    });
  }

  /** Everything it said, whichever way the lines are broken. */
  get said(): string {
    return this.#said.replace(/\s+\|?\s*/g, " ");
  }

  get raw(): string {
    return this.#said;
  }

  /** Ctrl-C: a terminal sends it to every process of the group. */
  interrupt(): void {
    process.kill(-(this.child.pid ?? 0), "SIGINT");
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.interrupt();
    await this.ended;
  }

  async hears(words: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = words.exec(this.said);
      if (found !== null) return found;
      assert.equal(this.child.exitCode, null, `the story ended without ${String(words)}:\n${this.#said}`);
      await new Promise<void>((heard) => {
        this.#heard = heard;
      });
    }
  }
}

/** Whether there is a process with this id. */
function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the refund desk", () => {
  let temp = "";
  let telling: Telling | undefined;
  beforeEach(async () => {
    temp = await mkdtemp(join(tmpdir(), "salvor-demo-test-"));
  });
  afterEach(async () => {
    // Only a failed test leaves one that still runs.
    await telling?.stop();
    await rm(temp, { recursive: true, force: true });
  });

  it("tells its story with npm run demo, its books agree, and with --keep its server runs on", async () => {
    telling = new Telling(temp, ["scripts/demo.js", "--keep"]);
    const [, url, pid, folder] = await telling.hears(
      /The server goes on At (\S+) \(pid (\d+)\), its data in (\S+), .*salvor list --auth-token/,
    );
    assert.equal((await fetch(`${String(url)}/healthz`)).status, 200);
    assert.match(
      await (await fetch(`${String(url)}/`)).text(),
      /<div id="page">/,
      "the page is there to look at it",
    );
    const token = /export SALVOR_OPERATOR_TOKEN=(\w+)/.exec(telling.said)?.[1] ?? "";
    const listed = await fetch(`${String(url)}/v1/runs`, { headers: { authorization: `Bearer ${token}` } });
    const { runs: left } = (await listed.json()) as { runs: readonly { status: { state: string } }[] };
    const states = new Set(left.map(({ status }) => status.state));
    assert.deepEqual(
      RUN_STATES.filter((state) => !states.has(state)),
      ["not_started"],
      "a run in every state that a list shows",
    );
    telling.interrupt();
    const [code] = await telling.ended;
    assert.equal(code, 0, telling.raw);
    const story = [
      /Act 1\. .*RunStarted, ToolCallRequested, ToolCallCompleted, RunCompleted/,
      /Act 2\. .*does not match the output_schema.*corrects its report/,
      /Act 3\. .*amount_cents.*9900.*4900/,
      /Act 4\. .*The first answer: (\{.*?\}) The second answer: \1/,
      /Act 5\. .*kill -9 \d+.*goes on with its old token/,
      /Act 6\. .*NeedsReconciliationError.*\$ salvor resolve .*found in the ledger/,
      /Act 7\. .*trust_completion = false.*\/v1\/runs\/[0-9a-f-]{36}\/resolve.*only the operator decides this/,
      /The books agree 8 payments were due\. The ledger has 8 lines, 8 requests reached the provider/,
    ];
    for (const words of story) assert.match(telling.said, words);
    assert.ok(!telling.raw.includes("\u001b"), "no colours where no terminal is");
    assert.ok(!runs(Number(pid)), "the server has ended");
    assert.ok(existsSync(String(folder)), "its data stays");
  });

  it("ends its processes and removes its folder when it is interrupted", async () => {
    telling = new Telling(temp, [join(example, "dist/demo.js")]);
    const [, pid] = await telling.hears(/started again, on the same folder and port \(pid (\d+)\)/);
    assert.ok(runs(Number(pid)), "the server runs");
    telling.interrupt();
    const [code] = await telling.ended;
    assert.equal(code, 130, telling.raw);
    assert.ok(!runs(Number(pid)), "the server has ended");
    assert.deepEqual(await readdir(temp), []);
  });
});

describe("the refund desk's files", () => {
  it("hold the schemas that its classes have now", async () => {
    const { code, stdout, stderr } = await runSalvor(["schemas", "--check"], { cwd: example });
    assert.equal(code, 0, stdout + stderr);
  });

  it("hold declarations without a fault", async () => {
    const { code, stdout, stderr } = await runSalvor(["check", "declarations"], { cwd: example });
    assert.equal(code, 0, stdout + stderr);
  });
});
