import type { McpServer } from "../mcp/index.js";
import { type McpToolDefinition, type RefusedTool } from "../mcp/index.js";
import { connectServer, type ServerEntry } from "../mcp/servers-file/index.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { McpInspectOptions } from "./commands/mcp-inspect.js";
import { mcpProblem, readMcpServers } from "./mcp-tools.js";
import { printable, shorten } from "./printable.js";
import { shellWord } from "./shell-word.js";
import { tableLines } from "./table.js";
import { out, printJson } from "./terminal.js";

/** What a server has, as `--json` prints it. */
interface Inspected {
  readonly server: string;
  readonly tools: readonly Pick<McpToolDefinition, "name" | "effect" | "why" | "description">[];
  readonly refused: readonly RefusedTool[];
  readonly problems: readonly string[];
}

/** Lists the tools of a server, or of every server of a file. */
export async function runMcpInspect(words: readonly string[], options: McpInspectOptions): Promise<ExitCode> {
  const inspected: Inspected[] = [];
  for (const entry of entriesOf(words, options)) inspected.push(await inspect(entry, words));
  if (options.json === true) printJson(inspected.length === 1 ? inspected[0] : inspected);
  else for (const each of inspected) show(each);
  return EXIT.ok;
}

function entriesOf(words: readonly string[], options: McpInspectOptions): readonly ServerEntry[] {
  const [first = "", ...args] = words;
  const isAlone = args.length === 0;
  const untrusted = options.trustAnnotations ? {} : { trustAnnotations: false };
  if (isAlone && /^https?:\/\//i.test(first)) {
    const bearerToken = tokenOf(options.bearerToken);
    return [{ kind: "http", name: first, url: first, bearerToken, ...untrusted }];
  }
  if (options.bearerToken !== undefined) {
    throw new CliError("--bearer-token is for a server with a URL", {
      next: `export it as the program itself wants it, then: salvor mcp inspect ${words.map(shellWord).join(" ")}`,
      exitCode: EXIT.usage,
    });
  }
  if (isAlone && first.endsWith(".toml")) {
    return readMcpServers(first).map((entry) => ({ ...entry, ...untrusted }));
  }
  // A program gets this shell's environment, as it would without salvor.
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  );
  return [{ kind: "stdio", name: first, command: first, args, env, ...untrusted }];
}

function tokenOf(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const value = process.env[variable];
  if (value !== undefined && value !== "") return value;
  throw new CliError(
    `--bearer-token names the environment variable ${variable}, which is ${value === undefined ? "not set" : "empty"}`,
    { next: `export ${variable}=...` },
  );
}

async function inspect(entry: ServerEntry, words: readonly string[]): Promise<Inspected> {
  let server: McpServer;
  try {
    server = await connectServer(entry);
  } catch (cause) {
    throw mcpProblem(cause, `put it right, then: salvor mcp inspect ${words.map(shellWord).join(" ")}`);
  }
  try {
    const tools = server.definitions().map(({ name, effect, why, description }) => ({
      ...{ name, effect, why, description },
    }));
    return { server: server.name, tools, refused: server.refused, problems: server.problems };
  } finally {
    await server.close();
  }
}

function show({ server, tools, refused, problems }: Inspected): void {
  const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  out.line(`${out.paint("bold", printable(server))}: ${count}`);
  const rows = tools.map(({ name, effect, why }) => [name, effect, why]);
  const columns = [{ title: "TOOL" }, { title: "EFFECT" }, { title: "WHY" }];
  if (rows.length > 0) for (const line of tableLines(columns, rows, out.columns)) out.line(line);
  for (const { serverName, why } of refused) {
    out.line(
      `${out.paint("yellow", "not offered:")} ${printable(serverName)}: ${shorten(printable(why), 500)}`,
    );
  }
  for (const problem of problems) out.line(`${out.paint("yellow", "warning:")} ${printable(problem)}`);
}
