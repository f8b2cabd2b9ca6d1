import type { DynTool } from "../../contract/dyn-tool.js";
import type { ToolSource } from "../../contract/tool-source.js";
import type { JsonObject } from "../../contract/json.js";
import { reasonOf } from "../../contract/handler-errors.js";
import type { CallRoute } from "./call-server.js";
import type { Connection } from "./connection.js";
import { ConnectionKeeper } from "./connection-keeper.js";
import type { HttpOptions, McpHost, StdioOptions } from "./connect-options.js";
import type { ElicitationAnswer } from "./elicitation.js";
import { httpHeaders, httpUrl } from "./http-address.js";
import { listTools } from "./list-tools.js";
import { checkNames, checkOptions, offerOf, type Offer } from "./offered-tools.js";
import { progressOf } from "./progress.js";
import type { Reach } from "./reach.js";
import { safeEnvironment } from "./sdk.js";
import type { McpToolDefinition, RefusedTool } from "./tool-definition.js";
import type { McpToolsOptions } from "./tool-options.js";

type Options = McpToolsOptions & McpHost;

/**
 * The tools of an MCP server (docs/mcp.md). Put them into a tool set, `tools.include(server)`: they are performed, recorded and
 * refused like any other.
 *
 * A connection that breaks is made anew at the next call. What the server says to have changed is read again.
 */
export class McpServer implements ToolSource {
  readonly name: string;
  readonly #options: Options;
  readonly #keeper: ConnectionKeeper;
  readonly #route: CallRoute;
  #offer: Offer = { tools: new Map(), refused: [], problems: [] };
  #reading: Promise<void> = Promise.resolve();

  /**
   * Starts a server and reads its tools. It ends with this process, or by {@link close}.
   *
   * @throws `McpConnectError` when it does not start, does not speak the protocol or does not list its tools.
   * @throws `McpToolsError` when the options say something about a tool that it does not have.
   */
  static async connectStdio(options: StdioOptions): Promise<McpServer> {
    const { command, args = [], env = {}, cwd, name = command } = options;
    const environment = { ...(await safeEnvironment()), ...env };
    return McpServer.#connect(name, { kind: "stdio", command, args, env: environment, cwd }, options);
  }

  /**
   * Connects to a server over streamable HTTP and reads its tools.
   *
   * @throws as {@link connectStdio}; TypeError when the URL is none that can be used.
   */
  static async connectHttp(options: HttpOptions): Promise<McpServer> {
    const url = httpUrl(options.url);
    const { name = `${url.origin}${url.pathname}` } = options;
    return McpServer.#connect(name, { kind: "http", url, headers: httpHeaders(options) }, options);
  }

  static async #connect(name: string, reach: Reach, options: Options): Promise<McpServer> {
    checkOptions(options);
    const server = new McpServer(name, reach, options);
    try {
      await server.#readFirst();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  private constructor(name: string, reach: Reach, options: Options) {
    this.name = name;
    this.#options = options;
    const readAgain = (connection: Connection): void => {
      this.#reading = this.#reading.then(() => this.#readAgain(connection));
    };
    this.#keeper = new ConnectionKeeper(reach, {
      name,
      onToolsChanged: readAgain,
      onReconnected: readAgain,
      onElicitation: (message, requestedSchema, signal) => this.#elicit(message, requestedSchema, signal),
    });
    this.#route = {
      server: name,
      keeper: this.#keeper,
      openCalls: new Map(),
      onProgress: (tool, ctx, params) => {
        const progress = progressOf(name, tool, ctx, params);
        if (progress !== undefined) options.onProgress?.(progress);
      },
    };
  }

  /** The tool that is offered under a name, or `undefined`. */
  get(name: string): DynTool | undefined {
    return this.#offer.tools.get(name)?.tool;
  }

  /** The names under which tools are offered, sorted. */
  names(): readonly string[] {
    return [...this.#offer.tools.keys()];
  }

  /** What is offered, with the effect of each tool and what that follows from. */
  definitions(): readonly McpToolDefinition[] {
    return [...this.#offer.tools.values()].map(({ definition }) => definition);
  }

  /** What the server has and is not offered. */
  get refused(): readonly RefusedTool[] {
    return this.#offer.refused;
  }

  /** What is wrong with the server's list as a whole. */
  get problems(): readonly string[] {
    return this.#offer.problems;
  }

  /** Ends the connection, and a server that was started: within 5 seconds, with everything that it has started. */
  async close(): Promise<void> {
    await this.#keeper.close();
  }

  async #readFirst(): Promise<void> {
    const connection = await this.#keeper.get();
    const listed = await listTools(this.name, connection);
    checkNames(this.name, this.#options, listed);
    this.#offer = await offerOf(listed, this.#options, this.#route);
    this.#tellTrouble();
  }

  async #readAgain(connection: Connection): Promise<void> {
    if (connection.isClosed) return;
    try {
      const listed = await listTools(this.name, connection);
      this.#offer = await offerOf(listed, this.#options, this.#route, this.#offer);
      this.#tellTrouble();
      tell(this.#options.onToolsChanged, { server: this.name, names: this.names() });
    } catch (error) {
      // What was read before stays: the next call finds out whether the server still has it.
      tell(this.#options.onTrouble, { kind: "listing", server: this.name, problem: reasonOf(error) });
    }
  }

  #tellTrouble(): void {
    const { onTrouble } = this.#options;
    const server = this.name;
    for (const problem of this.problems) tell(onTrouble, { kind: "listing", server, problem });
    for (const refused of this.refused) tell(onTrouble, { kind: "tool_refused", server, ...refused });
  }

  async #elicit(
    message: string,
    requestedSchema: JsonObject,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer> {
    const { onElicitation } = this.#options;
    if (onElicitation === undefined) return { action: "decline" };
    const openCalls = [...this.#route.openCalls.values()];
    return onElicitation({ server: this.name, message, requestedSchema, openCalls }, signal);
  }
}

/** Tells a host something; what it throws is its own affair, and costs nobody a connection. */
function tell<T>(listener: ((what: T) => void) | undefined, what: T): void {
  try {
    listener?.(what);
  } catch {
    // As above.
  }
}
