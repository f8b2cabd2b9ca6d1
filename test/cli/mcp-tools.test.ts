import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { pino } from "pino";
import { CliError } from "#salvor/cli/cli-error.js";
import { connectMcpTools } from "#salvor/cli/mcp-tools.js";
import { NO_CLIENT_TOOLS } from "#salvor/cli/no-client-tools.js";
import { scriptedProgram } from "../support/mcp-servers.js";
import { hostedTool, hostedTools } from "../support/hosted-tools.js";

const quiet = pino({ enabled: false });
const listed = (name: string) => ({ name, inputSchema: { type: "object" } });

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "salvor-mcp-names-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A file of servers with one tool each. */
async function serversFile(
  ...servers: readonly (readonly [prefix: string, tool: string])[]
): Promise<string> {
  const tables = servers.map(([prefix, tool], index) => {
    const { command, args } = scriptedProgram({ tools: [listed(tool)] });
    const said = prefix === "" ? "" : `prefix = ${JSON.stringify(prefix)}\n`;
    return `[servers.s${index}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n${said}`;
  });
  const file = join(folder, `${crypto.randomUUID()}.toml`);
  await writeFile(file, tables.join("\n"));
  return file;
}

function refused(said: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof CliError);
    assert.match(error.message, said);
    assert.match(error.next, /prefix = /);
    return true;
  };
}

it("two servers whose prefixes make one name of two refuse the start", async () => {
  const file = await serversFile(["a_", "pay"], ["a", "_pay"]);
  await assert.rejects(connectMcpTools(file, undefined, NO_CLIENT_TOOLS, quiet), refused(/a_pay/));
});

it("a server's tool with the name of one of --tools refuses the start", async () => {
  const own = hostedTools(hostedTool("pay", "write", () => null));
  const file = await serversFile(["", "pay"]);
  await assert.rejects(connectMcpTools(file, own, NO_CLIENT_TOOLS, quiet), refused(/pay/));
});

it("a server's tool with the name of a declared client tool refuses the start", async () => {
  const declared = {
    ...NO_CLIENT_TOOLS,
    get: (name: string) => (name === "pay" ? ({} as never) : undefined),
  };
  const file = await serversFile(["", "pay"]);
  await assert.rejects(
    connectMcpTools(file, undefined, declared, quiet),
    refused(/declared as a client tool/),
  );
});
