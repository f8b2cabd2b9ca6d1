import type * as Node from "@modelcontextprotocol/node";
import type * as Sdk from "@modelcontextprotocol/server";

/** What is used of the SDK: loaded when an MCP server is started, and by nothing else. */
export type ServerSdk = typeof Sdk;
export type NodeSdk = typeof Node;

export function loadSdk(): Promise<ServerSdk> {
  return import("@modelcontextprotocol/server");
}

export function loadNodeSdk(): Promise<NodeSdk> {
  return import("@modelcontextprotocol/node");
}

/**
 * The SDK's server without its registry of tools, which it advises against where that will do: it would put our JSON Schemas
 * into words of its own.
 */
// eslint-disable-next-line @typescript-eslint/no-deprecated
export type LowLevelServer = Sdk.Server;

export function makeServer(
  sdk: ServerSdk,
  ...how: ConstructorParameters<ServerSdk["Server"]>
): LowLevelServer {
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return new sdk.Server(...how);
}
