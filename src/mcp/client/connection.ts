import type { Client, ClientCapabilities, jsonSchemaValidator } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../contract/json.js";
import { VERSION } from "../../version.js";
import { causeChain } from "../../contract/cause-chain.js";
import type { ElicitationAnswer } from "./elicitation.js";
import { McpConnectError } from "./mcp-errors.js";
import { ProcessNotStarted } from "./process/server-process.js";
import type { Reach } from "./reach.js";
import { loadSdk } from "./sdk.js";
import { transportTo } from "./transport/transport-to.js";
import { Wire, type WireAnswer, type WireRequest } from "./transport/wire.js";

export interface ConnectionHooks {
  /** What the server is called in messages. */
  readonly name: string;
  readonly onToolsChanged: (connection: Connection) => void;
  readonly onElicitation: (
    message: string,
    requestedSchema: JsonObject,
    signal: AbortSignal,
  ) => Promise<ElicitationAnswer>;
}

/** How long a server may take to be ready, in milliseconds: one that a package runner fetches first takes a while. */
export const CONNECT_TIMEOUT_MS = 60_000;
/** How long a server may leave the question unanswered whether it speaks the revision of 2026, before it is taken not to. */
const PROBE_TIMEOUT_MS = 10_000;
/** How long a server that is doubted may take to answer a ping, in milliseconds. */
const PING_TIMEOUT_MS = 2_000;
const LIST_CHANGED_PAUSE_MS = 50;

const CAPABILITIES: ClientCapabilities = { elicitation: { form: {} } };
const INFO = { name: "salvor", version: VERSION };

/** The SDK's own judging of outputs is left out: a schema of a server's could end or stop the process there. */
const ACCEPTS_ALL: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

type Era = "modern" | "legacy";

/** A connection to a server, from the handshake to its end. Another one takes its place when it breaks. */
export class Connection {
  /** How many requests wait for an answer. */
  inFlight = 0;
  #isClosed = false;

  /**
   * Connects.
   *
   * @param known the era that the server was found to be of before.
   * @throws {@link McpConnectError} saying also what the server wrote.
   */
  static async open(reach: Reach, hooks: ConnectionHooks, known?: Era): Promise<Connection> {
    try {
      return await Connection.#try(reach, hooks, known === "legacy");
    } catch (error) {
      // A server may end, or be at odds with itself, when it is asked something before the handshake: it gets a fresh process,
      // and the handshake alone.
      const mayBeOld = known === undefined && reach.kind === "stdio" && error instanceof McpConnectError;
      if (!mayBeOld || error.cause instanceof ProcessNotStarted || isTimeout(error.cause)) throw error;
      return await Connection.#try(reach, hooks, true);
    }
  }

  static async #try(reach: Reach, hooks: ConnectionHooks, isLegacy: boolean): Promise<Connection> {
    const sdk = await loadSdk();
    const { transport, remarks, leave } = await transportTo(reach);
    const wire = new Wire(transport, reach.kind);
    const opened: { connection?: Connection } = {};
    const client = new sdk.Client(INFO, {
      capabilities: CAPABILITIES,
      jsonSchemaValidator: ACCEPTS_ALL,
      versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_TIMEOUT_MS } },
      listChanged: {
        tools: {
          autoRefresh: false,
          debounceMs: LIST_CHANGED_PAUSE_MS,
          onChanged: () => {
            if (opened.connection !== undefined) hooks.onToolsChanged(opened.connection);
          },
        },
      },
    });
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      if (!("requestedSchema" in params)) return { action: "decline" };
      const schema = params.requestedSchema as JsonObject;
      const answer = await hooks.onElicitation(params.message, schema, mcpReq.signal);
      return answer.action === "accept"
        ? { action: "accept", content: answer.content as Record<string, string> }
        : answer;
    });
    // Trouble that concerns a request is told to whoever made it; the rest is nobody's.
    client.onerror = () => undefined;
    try {
      const options = {
        timeout: CONNECT_TIMEOUT_MS,
        ...(isLegacy && { prior: { kind: "legacy" } as const }),
      };
      await client.connect(wire, options);
    } catch (cause) {
      await wire.close().catch(() => undefined);
      const said = remarks();
      const problem = `cannot be connected to: ${causeChain(cause)}${said === "" ? "" : ` (${said})`}`;
      throw new McpConnectError(hooks.name, problem, { cause });
    }
    const keys = {
      version: sdk.PROTOCOL_VERSION_META_KEY,
      info: sdk.CLIENT_INFO_META_KEY,
      capabilities: sdk.CLIENT_CAPABILITIES_META_KEY,
    };
    return (opened.connection = new Connection(client, wire, keys, remarks, leave));
  }

  private constructor(
    private readonly client: Client,
    private readonly wire: Wire,
    private readonly keys: { readonly version: string; readonly info: string; readonly capabilities: string },
    /** What a local server has written besides its messages. */
    readonly remarks: () => string,
    private readonly leave: () => Promise<void>,
  ) {
    client.onclose = () => {
      this.#isClosed = true;
    };
  }

  get isClosed(): boolean {
    return this.#isClosed || this.client.transport === undefined;
  }

  get era(): Era {
    return this.client.getProtocolEra() ?? "legacy";
  }

  /** Whether the server has a session of this connection's, which it may have forgotten without our knowing. */
  get hasSession(): boolean {
    return this.wire.sessionId !== undefined;
  }

  get hasTools(): boolean {
    return this.client.getServerCapabilities()?.tools !== undefined;
  }

  /** As {@link Wire.request}. */
  async request(request: WireRequest): Promise<WireAnswer> {
    if (this.isClosed) return { kind: "broken", sent: false, cause: new Error("the connection was closed") };
    this.inFlight += 1;
    try {
      return await this.wire.request({ ...request, params: this.#enveloped(request.params) });
    } finally {
      this.inFlight -= 1;
    }
  }

  /** Whether the server still answers on this connection. */
  async isAlive(): Promise<boolean> {
    if (this.isClosed) return false;
    // The revision of 2026 has no ping, and no sessions.
    if (this.era === "modern") return true;
    return this.client.ping({ timeout: PING_TIMEOUT_MS }).then(
      () => true,
      (error: unknown) => error instanceof Error && error.name === "ProtocolError",
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.leave();
    await this.client.close().catch(() => undefined);
    // The client forgets a transport that has closed; a process behind it may still be ending.
    await this.wire.close().catch(() => undefined);
  }

  /** What the revision of 2026 wants to be told with every request. */
  #enveloped(params: JsonObject): JsonObject {
    const version = this.client.getNegotiatedProtocolVersion();
    if (this.era === "legacy" || version === undefined) return params;
    const { keys } = this;
    const meta = params["_meta"] as JsonObject | undefined;
    const envelope = {
      [keys.version]: version,
      [keys.info]: INFO,
      [keys.capabilities]: CAPABILITIES as unknown as JsonObject,
    };
    return { ...params, _meta: { ...envelope, ...meta } };
  }
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "REQUEST_TIMEOUT";
}
