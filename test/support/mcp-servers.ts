import { mkdtemp, readFile, rm } from "node:fs/promises";
import { watch } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { CallOutcome, DynTool, ToolCtx } from "#salvor/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { QUIET_LOG } from "#salvor/contract/quiet-log.js";
import { McpServer, type StdioOptions } from "#salvor/mcp/index.js";
import type { Scenario } from "./mcp-scenario.js";

const SCRIPTED = fileURLToPath(new URL("./mcp-scripted.js", import.meta.url));

/** A line of a scripted server's journal. */
export interface Journalled {
  readonly call?: string;
  readonly params?: {
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  } & Readonly<Record<string, unknown>>;
  readonly pids?: readonly number[];
  readonly cancelled?: unknown;
  readonly id?: unknown;
}

/** A scripted server that was connected to. */
export interface Scripted {
  readonly server: McpServer;
  readonly journal: () => Promise<readonly Journalled[]>;
  /** Resolves once the journal says so. */
  readonly journalSays: (accepts: (lines: readonly Journalled[]) => boolean) => Promise<void>;
  readonly calls: (tool: string) => Promise<number>;
  /** The tool that is offered under a name. */
  readonly tool: (name: string) => DynTool;
  readonly close: () => Promise<void>;
}

/** How a scripted server is started. */
export function scriptedProgram(scenario: Scenario): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return { command: process.execPath, args: [SCRIPTED, JSON.stringify(scenario)] };
}

/** A file for a scripted server's journal, in a folder of its own. */
export async function journalFile() {
  const folder = await mkdtemp(join(tmpdir(), "salvor-mcp-"));
  const file = join(folder, "journal");
  const journal = async (): Promise<readonly Journalled[]> => {
    const text = await readFile(file, "utf8").catch(() => "");
    // The last line may be being written.
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Journalled]));
  };
  const journalSays = async (accepts: (lines: readonly Journalled[]) => boolean): Promise<void> => {
    const watcher = watch(folder);
    try {
      while (!accepts(await journal())) {
        // A change between the look and the wait is told a moment later: events are kept for a watcher that exists.
        await new Promise<void>((changed) => {
          const soon = setTimeout(changed, 100);
          watcher.once("change", () => {
            clearTimeout(soon);
            changed();
          });
        });
      }
    } finally {
      watcher.close();
    }
  };
  return { file, folder, journal, journalSays, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts a scripted server and connects to it. */
export async function scripted(
  scenario: Scenario,
  options: Omit<StdioOptions, "command" | "args"> = {},
): Promise<Scripted> {
  const { file, journal, journalSays, remove } = await journalFile();
  const server = await McpServer.connectStdio({
    name: "scripted",
    ...options,
    ...scriptedProgram({ journal: file, ...scenario }),
  }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    server,
    journal,
    journalSays,
    calls: async (tool) => (await journal()).filter((line) => line.call === tool).length,
    tool: (name) => toolOf(server, name),
    close: async () => {
      await server.close();
      await remove();
    },
  };
}

export function toolOf(server: McpServer, name: string): DynTool {
  const tool = server.get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}; there are ${server.names().join(", ")}`);
  return tool;
}

/** What a tool is called with when nobody records the call. */
export function ctx(over: Partial<ToolCtx> = {}): ToolCtx {
  return { signal: new AbortController().signal, attempt: 1, log: QUIET_LOG, ...over };
}

/** One attempt at a call that nobody records. */
export function call(
  tool: DynTool,
  input: JsonValue = {},
  over: Partial<ToolCtx> = {},
): Promise<CallOutcome> {
  return tool.callJson(ctx(over), input);
}

/** The first text of a call's result. */
export function textOf(outcome: CallOutcome): string {
  if (outcome.outcome !== "output") throw new Error(`it is a ${outcome.outcome}`);
  const { content } = outcome.output as { content: { text?: string }[] };
  return content[0]?.text ?? "";
}

/** The program of a server of the MCP project, as its package installs it. */
export function packagedServer(name: string, ...args: readonly string[]) {
  const manifest = createRequire(import.meta.url).resolve(
    `@modelcontextprotocol/server-${name}/package.json`,
  );
  return { command: process.execPath, args: [join(dirname(manifest), "dist/index.js"), ...args] };
}

/** Whether a process is there and has not ended. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status !== "" && !/\) [ZX] /.test(status);
}
