import type { Logger } from "pino";
import { ARTEFACT_FORMAT } from "../contract/artefact.js";
import { causeChain } from "../contract/cause-chain.js";
import { RegistryError } from "../contract/registry-error.js";
import type { ToolSource } from "../contract/tool-source.js";
import { ToolSet } from "../schema/tool-set.js";
import { renderProblem } from "../declarations/problem.js";
import { McpConnectError, McpToolsError, type McpHost } from "../mcp/index.js";
import {
  closeServers,
  connectServers,
  readServersFile,
  ServersFileError,
  type ServerEntry,
} from "../mcp/servers-file/index.js";
import type { ClientTools } from "../server/index.js";
import { CliError } from "./cli-error.js";
import { printable } from "./printable.js";
import { shellWord } from "./shell-word.js";

/** The tools of MCP servers beside those of a module, and the way to end the servers. */
export interface McpTools {
  readonly tools: ToolSet;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the MCP servers that a file names.
 *
 * @param own the tools of `--tools`, which have to have other names.
 * @param clientTools the declared tools, which have to have other names too.
 * @throws {@link CliError} saying what is wrong; no server is left running then.
 */
export async function connectMcpTools(
  file: string,
  own: ToolSource | undefined,
  clientTools: ClientTools,
  logger: Logger,
): Promise<McpTools> {
  const servers = await connectAll(file, hostOf(logger));
  const close = () => closeServers(servers);
  try {
    const tools: ToolSet = new ToolSet({
      formatVersion: ARTEFACT_FORMAT,
      generator: {},
      inputs: {},
      tools: {},
    });
    const both = servers.flatMap((server) =>
      server.names().filter((name) => clientTools.get(name) !== undefined),
    );
    if (own !== undefined) tools.include(own);
    for (const server of servers) tools.include(besides(server, clientTools));
    if (both.length === 0) return { tools, close };
    throw new CliError(`${both.join(", ")}: a tool of an MCP server, and declared as a client tool too`, {
      next: `write prefix = "..." for the server in ${printable(file)}`,
    });
  } catch (cause) {
    await close();
    if (!(cause instanceof RegistryError)) throw cause;
    throw new CliError(cause.message, {
      next: `write prefix = "..." for one of the servers in ${printable(file)}`,
      cause,
    });
  }
}

/** A server whose list changes cannot take over a tool that clients perform. */
function besides(source: ToolSource, clientTools: ClientTools): ToolSource {
  const isFree = (name: string): boolean => clientTools.get(name) === undefined;
  return {
    get: (name) => (isFree(name) ? source.get(name) : undefined),
    names: () => source.names().filter(isFree),
  };
}

/** @throws {@link CliError} with every problem of the file. */
export function readMcpServers(file: string): readonly ServerEntry[] {
  try {
    return readServersFile(file);
  } catch (cause) {
    if (!(cause instanceof ServersFileError)) throw cause;
    const problems = cause.problems.map((problem) => `\n  ${printable(renderProblem(problem))}`);
    throw new CliError(`the file of MCP servers is not accepted:${problems.join("")}`, {
      next: `put it right, then: salvor mcp inspect ${shellWord(file)}`,
      cause,
    });
  }
}

/** What a server, or what is said about it, is not accepted for, for a person; anything else as it is. */
export function mcpProblem(cause: unknown, next: string): unknown {
  if (!(cause instanceof McpConnectError || cause instanceof McpToolsError)) return cause;
  // Each problem of a connection is in its message already.
  const text = cause instanceof McpConnectError ? cause.message : causeChain(cause);
  return new CliError(printable(text), { next, cause });
}

async function connectAll(file: string, host: McpHost) {
  const entries = readMcpServers(file);
  try {
    return await connectServers(entries, host);
  } catch (cause) {
    throw mcpProblem(cause, `salvor mcp inspect ${shellWord(file)}`);
  }
}

function hostOf(logger: Logger): McpHost {
  return {
    onTrouble: (trouble) => {
      const { kind, ...fields } = trouble;
      const what =
        kind === "tool_refused" ? "a tool of an MCP server is not offered" : "an MCP server's list of tools";
      logger.warn(fields, what);
    },
    onToolsChanged: ({ server, names }) => {
      logger.info({ server, tools: names.length }, "the tools of an MCP server were read again");
    },
    onProgress: ({ server, tool, runId, seq, progress, total }) => {
      logger.debug({ server, tool, run: runId, seq, progress, total }, "progress of a call");
    },
  };
}
