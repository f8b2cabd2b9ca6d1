import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import {
  isRunning,
  journalFile,
  scripted,
  scriptedProgram,
  type Journalled,
} from "../../support/mcp-servers.js";

const pidsOf = (lines: readonly Journalled[]) => lines.flatMap((line) => line.pids ?? []);

it("closing ends a server that heeds nothing, and all that it has started, within 5 seconds", async (t) => {
  const { server, journal, close } = await scripted({ tools: [], stubborn: true });
  t.after(close);
  const pids = pidsOf(await journal());
  assert.equal(pids.length, 3);
  assert.deepEqual(await Promise.all(pids.map(isRunning)), [true, true, true]);
  // A bound of the contract, not a measurement: the race is lost when closing takes longer.
  const outcome = await Promise.race([
    server.close().then(() => "closed"),
    after(5_000, "late", { ref: false }),
  ]);
  assert.equal(outcome, "closed");
  assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false, false]);
});

it("a server and all that it has started die with a process that is killed", async (t) => {
  const { file, journal, journalSays, remove } = await journalFile();
  t.after(remove);
  const scenario = { tools: [], stubborn: true, journal: file };
  const program = `import { McpServer } from ${JSON.stringify(import.meta.resolve("#salvor/mcp/index.js"))};
    await McpServer.connectStdio(${JSON.stringify(scriptedProgram(scenario))});
    console.log("connected");`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(host.stdout, "data");
  await journalSays((lines) => pidsOf(lines).length === 3);
  const pids = pidsOf(await journal());
  host.kill("SIGKILL");
  await Promise.all(pids.map(gone));
});

it("what a server has started ends with it", async (t) => {
  const { journal, close } = await scripted({ tools: [], stubborn: true });
  t.after(close);
  const pids = pidsOf(await journal());
  process.kill(pids[0] ?? 0, "SIGKILL");
  await Promise.all(pids.map(gone));
});

/** Resolves once a process has ended; the test's own time limit is the bound. */
async function gone(pid: number): Promise<void> {
  while (await isRunning(pid)) await after(20);
}
