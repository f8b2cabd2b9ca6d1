import type { ToolSource } from "../../contract/tool-source.js";
import type { McpHost } from "../client/connect-options.js";
import { McpServer } from "../client/mcp-server.js";
import type { ServerEntry } from "./server-entry.js";

/** Connects to one server that a file names. */
export function connectServer(entry: ServerEntry, host: McpHost = {}): Promise<McpServer> {
  return entry.kind === "stdio"
    ? McpServer.connectStdio({ ...entry, ...host })
    : McpServer.connectHttp({ ...entry, ...host });
}

/**
 * Connects to every server that a file names, at once.
 *
 * @throws the first error, once those that could be connected to are closed.
 */
export async function connectServers(
  entries: readonly ServerEntry[],
  host: McpHost = {},
): Promise<readonly McpServer[]> {
  const connecting = await Promise.allSettled(entries.map((entry) => connectServer(entry, host)));
  const servers = connecting.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = connecting.find((each) => each.status === "rejected");
  if (failed === undefined) return servers;
  await closeServers(servers);
  throw failed.reason;
}

export async function closeServers(
  servers: readonly (ToolSource & Pick<McpServer, "close">)[],
): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
}
