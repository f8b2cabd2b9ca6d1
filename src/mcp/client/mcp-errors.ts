/** An MCP server that could not be connected to, or that does not speak the protocol. Nothing was asked of its tools. */
export class McpConnectError extends Error {
  override readonly name = "McpConnectError";
  readonly code = "mcp_connect";
  constructor(
    readonly server: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`the MCP server ${server} ${problem}`, options);
  }
}

/** What an operator says about a server's tools does not fit them. Each problem names the tool and what the server has. */
export class McpToolsError extends Error {
  override readonly name = "McpToolsError";
  readonly code = "mcp_tools";
  constructor(
    readonly server: string,
    readonly problems: readonly string[],
  ) {
    super(`the MCP server ${server}: ${problems.join("; ")}`);
  }
}

/** The connection to a server ended before it answered. */
export class McpConnectionLost extends Error {
  override readonly name = "McpConnectionLost";
  readonly code = "mcp_connection_lost";
}

/** A server answered a call with an error, as a JSON-RPC error or as a result that says so. */
export class McpToolError extends Error {
  override readonly name = "McpToolError";
  readonly code = "mcp_tool";
  constructor(
    message: string,
    /** Of the JSON-RPC error; absent when it was a result that says that it is an error. */
    readonly rpcCode?: number,
  ) {
    super(message);
  }
}
