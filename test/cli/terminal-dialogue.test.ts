import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { SALVOR_MAIN, spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";
import { SalvorClient } from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";

// util-linux's script gives a program a terminal; other systems' scripts are called otherwise.
const script = spawnSync("sh", ["-c", "script --version"], { encoding: "utf8" });
const skip = script.stdout.includes("util-linux") ? false : "needs script of util-linux";

describe("a decision on a terminal", { skip }, () => {
  let files: ToolFiles;
  let server: SpawnedServer;
  let client: SalvorClient;
  before(async () => {
    files = await toolFiles();
    server = await spawnServer({ args: ["--client-tool", await files.write("refund.toml", REFUND_CARD)] });
    client = new SalvorClient({ url: server.url });
  });
  after(async () => {
    await server.stop();
    await files.remove();
  });

  async function openRefund(): Promise<string> {
    const run = randomUUID();
    const { drive_token: driveToken } = await client.openRun({ runId: run });
    const payload = { agent_def_hash: "desk", input: null };
    await client.appendEvents({ run, driveToken }, [
      envelopeOf(run, 0, "2026-01-01T00:00:00Z", { kind: "RunStarted", payload }),
    ]);
    const input = { order_id: "A-1", amount_cents: 500 };
    await client.toolIntent({ run, driveToken }, { seq: 1, tool: "refund_card", input });
    return run;
  }

  /** Runs a command on a terminal and types a line when it asks. */
  async function typing(answer: string, env: NodeJS.ProcessEnv, ...args: readonly string[]) {
    const command = [process.execPath, SALVOR_MAIN, ...args, "--url", server.url].join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], { env: { ...process.env, ...env } });
    let screen = "";
    let asked = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      if (asked || !screen.includes("[y/N]")) return;
      asked = true;
      child.stdin.write(answer);
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, screen };
  }

  it("shows the call, asks, and records after a yes", async () => {
    const run = await openRefund();
    const { code, screen } = await typing(
      "y\n",
      { NO_COLOR: "", TERM: "xterm" },
      "resolve",
      run,
      "--not-performed",
    );
    assert.equal(code, 0, screen);
    assert.match(screen, /refund_card \(write\)/);
    assert.match(screen, /"amount_cents": 500/);
    assert.match(screen, /it was not performed/);
    assert.ok(screen.includes("\u001b[1m"));
    assert.equal((await client.log(run)).length, 3);
  });

  it("records nothing after anything else, and exits 1", async () => {
    const run = await openRefund();
    for (const verb of [
      ["resolve", run, "--not-performed"],
      ["abandon", run],
    ]) {
      const { code, screen } = await typing("n\n", {}, ...verb);
      assert.equal(code, 1);
      assert.match(screen, /nothing was recorded/);
    }
    assert.equal((await client.log(run)).length, 2);
  });

  it("has no colours with NO_COLOR", async () => {
    const run = await openRefund();
    const { screen } = await typing("n\n", { NO_COLOR: "1" }, "resolve", run, "--not-performed");
    assert.match(screen, /refund_card/);
    assert.ok(!screen.includes("\u001b[1m"));
  });
});
