import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { NodeMcpRequestHandler } from "@modelcontextprotocol/node";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "../../contract/json.js";
import { ServerMaker, type Face } from "./create-server.js";
import { currentExchange, HttpExchange, inExchange } from "./http-exchange.js";
import { HttpSessions, type SessionBounds } from "./http-sessions.js";
import { loadNodeSdk, loadSdk, type LowLevelServer, type NodeSdk, type ServerSdk } from "./sdk.js";
import type { ServedTools } from "./served-tools.js";
import type { Advice } from "./tool-result.js";

/** Headers that carry the protocol, for browsers that ask before they send or show them. */
export const MCP_HEADERS = {
  sent: ["Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"],
  shown: ["Mcp-Session-Id"],
} as const;

const BOUNDS: SessionBounds = { most: 1_000, idleMs: 30 * 60_000 };

/** How long answers that are on their way may take when the server stops, in milliseconds. */
const LAST_ANSWERS_MS = 1_000;

export interface HttpOptions {
  readonly advice: Advice;
  readonly onError: (error: unknown) => void;
  readonly bounds?: SessionBounds;
}

/** A request, once it is known who sent it and what it holds. */
export interface HttpRequest {
  /** Absent for a method that has none. */
  readonly body: JsonValue | undefined;
  /** Whether whoever asks may decide about a call that waits for a person. */
  readonly mayDecide: boolean;
}

/**
 * Serves tools over streamable HTTP: each request by itself in the revision of 2026-07-28, in sessions in those before it.
 * Who may ask, and how much, is for the host to judge.
 */
export class McpHttp {
  readonly #sessions: HttpSessions;
  readonly #modern: McpHttpHandler;
  readonly #open = new Set<ServerResponse>();

  static async create(served: ServedTools, options: HttpOptions): Promise<McpHttp> {
    const [sdk, node] = await Promise.all([loadSdk(), loadNodeSdk()]);
    return new McpHttp(sdk, node, new ServerMaker(sdk, served, options.advice, options.onError), options);
  }

  readonly #answerModern: NodeMcpRequestHandler;

  private constructor(
    private readonly sdk: ServerSdk,
    private readonly node: NodeSdk,
    private readonly maker: ServerMaker,
    private readonly options: HttpOptions,
  ) {
    const { onError } = options;
    this.#sessions = new HttpSessions(options.bounds ?? BOUNDS);
    this.#modern = sdk.createMcpHandler(() => this.#make(), { legacy: "reject", onerror: onError });
    this.#answerModern = node.toNodeHandler(this.#modern, { onerror: onError });
  }

  /** Answers a request; resolves when the answer has left, or nobody waits for it any more. */
  async handle(request: IncomingMessage, response: ServerResponse, asked: HttpRequest): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    this.#open.add(response);
    response.once("close", () => this.#open.delete(response));
    const exchange = new HttpExchange(response, asked.mayDecide, this.options.onError);
    await inExchange(exchange, () => this.#answer(request, response, asked.body));
    await closed;
  }

  /** Ends what is open, once answers that are on their way have left. */
  async close(): Promise<void> {
    const leaving = [...this.#open].filter(({ req, closed }) => req.method === "POST" && !closed);
    const left = Promise.all(
      leaving.map((each) => new Promise<void>((resolve) => each.once("close", resolve))),
    );
    let late: NodeJS.Timeout | undefined;
    await Promise.race([left, new Promise((resolve) => (late = setTimeout(resolve, LAST_ANSWERS_MS)))]);
    clearTimeout(late);
    await Promise.all([this.#modern.close(), this.#sessions.close()]);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: JsonValue | undefined,
  ): Promise<void> {
    if (request.method === "POST" && !(await this.#isOfSession(request, body))) {
      await this.#answerModern(request as NodeRequest, response, body);
      return;
    }
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? this.#sessions.get(id) : undefined;
    if (typeof id === "string" && session !== undefined) {
      this.#sessions.use(id, response);
      await session.transport.handleRequest(request, response, body);
    } else if (id !== undefined) {
      refuse(response, 404, -32001, "there is no such session: initialize a new one");
    } else if (this.sdk.isInitializeRequest(body)) {
      await this.#initialize(request, response, body);
    } else {
      refuse(response, 400, -32000, "a request without Mcp-Session-Id has to initialize a session");
    }
  }

  async #isOfSession(request: IncomingMessage, body: JsonValue | undefined): Promise<boolean> {
    return this.sdk.isLegacyRequest(await this.node.toWebRequest(request as NodeRequest, body), body);
  }

  async #initialize(request: IncomingMessage, response: ServerResponse, body: JsonValue): Promise<void> {
    if (!(await this.#sessions.makeRoom())) {
      refuse(response, 503, -32000, "there are as many sessions as there may be: come back later", {
        "Retry-After": "10",
      });
      return;
    }
    const server = this.#make();
    const transport = new this.node.NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.add(id, { server, transport });
        this.#sessions.use(id, response);
      },
      onsessionclosed: (id) => {
        this.#sessions.remove(id);
      },
    });
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  }

  #make(): LowLevelServer {
    const face: Face = {
      whenAnswered: (_ctx, answered) => {
        currentExchange().whenAnswered(answered);
      },
      mayDecide: () => currentExchange().mayDecide,
    };
    return this.maker.make(face);
  }
}

type NodeRequest = IncomingMessage & { method: string; url: string };

/** The body of a refusal that has no request to answer. */
export function jsonRpcError(code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message, ...(data && { data }) }, id: null });
}

function refuse(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(jsonRpcError(code, message));
}
