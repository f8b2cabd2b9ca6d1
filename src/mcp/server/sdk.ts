/** What is used of the SDK: loaded when an MCP server is started, and by nothing else. */
export type ServerSdk = typeof import("@modelcontextprotocol/server");

export function loadSdk(): Promise<ServerSdk> {
  return import("@modelcontextprotocol/server");
}
