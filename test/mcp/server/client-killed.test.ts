import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { SALVOR_MAIN } from "../../support/spawn-server.js";
import { toolModule } from "../../support/tool-module.js";
import { connect, type TestClient } from "./clients.js";
import { runOf, textOf } from "./mcp-world.js";

/** Writes a line into a book; "stuck" never comes back from it, "late" only once its client is gone. */
const MODULE = `
const here = ${JSON.stringify("HERE")};
add("pay", "write", async (ctx, { line }) => {
  appendFileSync(here + "/book", line + "\\n");
  ctx.log.info("written");
  if (line === "stuck") return never;
  while (!existsSync(here + "/gone")) await new Promise((done) => setTimeout(done, 5));
  return { line };
});
`;

const meta = (line: string) => ({ "salvor.dev/idempotency-key": line });

/** A client in a process of its own: starts a server, asks for each line, and says the server's pid and what was written. */
const CLIENT = `
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const client = new Client({ name: "desk", version: "1.0.0" });
const [args, lines] = JSON.parse(process.argv[1]);
const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
await client.connect(transport);
console.log(transport.pid);
for (const line of lines)
  client.callTool(
    { name: "pay", arguments: { line }, _meta: { "salvor.dev/idempotency-key": line } },
    { onprogress: () => console.log(line) },
  ).catch(() => undefined);
`;

describe("a client that is killed in the middle of writes", () => {
  let folder: string;
  let client: TestClient | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "salvor-mcp-"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await writeFile(join(folder, "tools.js"), toolModule(MODULE.replace("HERE", folder)));
    await killedClient(["stuck", "late"]);
    client = await connect("2026-07-28", { args: serverArgs() });
  });
  after(async () => {
    await client?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const serverArgs = (): readonly string[] => [
    "--tools",
    join(folder, "tools.js"),
    "--data",
    join(folder, "data"),
  ];

  /** Starts a client, kills it once every line is in the book, and resolves when its server has ended too. */
  async function killedClient(lines: readonly string[]): Promise<void> {
    const asked = JSON.stringify([[SALVOR_MAIN, "mcp", ...serverArgs()], lines]);
    const child = spawn(process.execPath, ["--input-type=module", "-e", CLIENT, asked], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const server = Number((await said.next()).value);
    const written = new Set<string>();
    while (written.size < lines.length) written.add(String((await said.next()).value));
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    await writeFile(join(folder, "gone"), "");
    while (isAlive(server)) await pause(10);
  }

  async function book(): Promise<readonly string[]> {
    return (await readFile(join(folder, "book"), "utf8")).trim().split("\n").sort();
  }

  it("takes its server with it, which records what its tools still answer", async () => {
    const replayed = await client!.call("pay", { line: "late" }, { meta: meta("late") });
    assert.equal(textOf(replayed), '{"line":"late"}');
    assert.equal(replayed._meta["salvor.dev/replayed"], true);
    assert.deepEqual(await book(), ["late", "stuck"]);
  });

  it("leaves a write without an answer to a person: it is not performed again", async () => {
    const unknown = await client!.call("pay", { line: "stuck" }, { meta: meta("stuck") });
    assert.equal(unknown.isError, true);
    assert.match(textOf(unknown), new RegExp(`salvor resolve ${runOf(unknown)}`));
    assert.deepEqual(await book(), ["late", "stuck"]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
