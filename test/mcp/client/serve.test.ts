import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { after, before, it } from "node:test";
import { isRunning, journalFile, scriptedProgram } from "../../support/mcp-servers.js";
import type { Scenario } from "../../support/mcp-scenario.js";
import { RunOf } from "../../support/run-of.js";
import { runSalvor } from "../../support/run-salvor.js";
import { spawnServer } from "../../support/spawn-server.js";

const tool = (name: string, annotations: object = {}) => ({
  name,
  inputSchema: { type: "object" },
  annotations,
});
const TOOLS = [tool("pay"), tool("look", { readOnlyHint: true })];

let folder: string;
let dataDir: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "salvor-mcp-serve-"));
  dataDir = join(folder, "data");
});
after(() => rm(folder, { recursive: true, force: true }));

async function serversFile(scenario: Scenario, more = ""): Promise<string> {
  const { command, args } = scriptedProgram(scenario);
  const file = join(folder, `${crypto.randomUUID()}.toml`);
  const server = `[servers.shop]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  await writeFile(file, `${server}${more}`);
  return file;
}

it("a server that is killed in the middle of a write leaves it for a person, and the next server does not send it again", async (t) => {
  const { file: journal, journal: lines, journalSays, remove } = await journalFile();
  t.after(remove);
  const mcp = await serversFile({ tools: TOOLS, journal, calls: { pay: [{ does: "hang" }] } });
  const first = await spawnServer({ args: ["--mcp", mcp], dataDir });
  const run = await RunOf.open(first);
  const step = run.step(1, "pay", { amount: 5 }).catch(() => "no answer");
  await journalSays((all) => all.some((line) => line.call === "pay"));
  const [shop = 0] = (await lines()).flatMap((line) => line.pids ?? []);
  assert.ok(await isRunning(shop));
  await first.kill();
  assert.equal(await step, "no answer");
  while (await isRunning(shop)) await pause(20);

  const second = await spawnServer({ args: ["--mcp", mcp], dataDir });
  t.after(() => second.stop());
  const again = run.on(second);
  assert.equal(await again.step(1, "pay", { amount: 5 }), "needs_reconciliation");
  assert.deepEqual(await again.status(), { state: "needs_reconciliation" });
  assert.equal((await lines()).filter((line) => line.call === "pay").length, 1);
});

it("an MCP server that is killed in the middle of a write leaves it for a person; others go on with a fresh one", async (t) => {
  const { file: journal, journal: lines, journalSays, remove } = await journalFile();
  t.after(remove);
  const calls = { pay: [{ does: "hang" }, { does: "tell" }] } as const;
  const mcp = await serversFile({ tools: TOOLS, journal, calls }, 'prefix = "shop_"\n');
  const server = await spawnServer({ args: ["--mcp", mcp] });
  t.after(() => server.stop());
  const run = await RunOf.open(server);
  const step = run.step(1, "shop_pay");
  await journalSays((all) => all.some((line) => line.call === "pay"));
  const [shop = 0] = (await lines()).flatMap((line) => line.pids ?? []);
  process.kill(shop, "SIGKILL");
  assert.equal(await step, "needs_reconciliation");
  assert.equal(await run.step(1, "shop_pay"), "needs_reconciliation");
  const other = await RunOf.open(server);
  assert.match(JSON.stringify(await other.step(1, "shop_look")), /look/);
  assert.equal((await lines()).filter((line) => line.call === "pay").length, 1);
});

it("stopping the server ends its MCP servers", async (t) => {
  const { file: journal, journal: lines, remove } = await journalFile();
  t.after(remove);
  const mcp = await serversFile({ tools: TOOLS, journal });
  const server = await spawnServer({ args: ["--mcp", mcp] });
  assert.match(server.stdout, /^2 hosted tools:$/m);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  for (const pid of (await lines()).flatMap((line) => line.pids ?? [])) {
    assert.equal(await isRunning(pid), false);
  }
});

it("a file that is not in order, and one that says something about a tool that there is not, refuse the start", async () => {
  const serve = (file: string, ...args: string[]) =>
    runSalvor(["serve", "--bind", "127.0.0.1:0", "--data", join(folder, "refused"), "--mcp", file, ...args]);
  const wrong = await serve(await serversFile({ tools: TOOLS }, "prefixx = 'a'\n"));
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stderr,
    /\.toml:4:1: servers\.shop\.prefixx is no key that is known here - write prefix/,
  );

  const unknown = await serve(
    await serversFile({ tools: TOOLS }, "[servers.shop.tools.paye]\neffect = 'read'\n"),
  );
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /it has no tool "paye".*it has look, pay/);
});

it("inspect lists a server's tools with their effects and why, for a person and for a script", async () => {
  const tools = [...TOOLS, { name: "bad" }];
  const file = await serversFile({ tools }, "[servers.shop.tools.pay]\neffect = 'idempotent'\n");
  const told = await runSalvor(["mcp", "inspect", file]);
  assert.equal(told.code, 0, told.stderr);
  assert.match(told.stdout, /^look +read +the server says readOnlyHint$/m);
  assert.match(told.stdout, /^pay +idempotent +the operator says so$/m);
  assert.match(told.stdout, /^not offered: bad: it has no inputSchema$/m);

  const program = scriptedProgram({ tools });
  const untrusted = ["mcp", "inspect", "--json", "--no-trust-annotations", program.command, ...program.args];
  const json = JSON.parse((await runSalvor(untrusted)).stdout);
  const { name, effect, why } = json.tools[0];
  assert.deepEqual([name, effect], ["look", "write"]);
  assert.match(why, /not trusted \(it hints read\)/);
  assert.equal(json.refused[0].serverName, "bad");
});
