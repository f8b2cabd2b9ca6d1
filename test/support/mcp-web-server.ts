import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

interface Rpc {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string } & Readonly<Record<string, unknown>>;
}

/** What a web server does with a call of a tool, by the tool's name. */
export type WebBehaviour =
  | "answer"
  | "break"
  | "break_stream"
  | "hang"
  | "reject"
  | "flood"
  /** Acts, and sends the caller to another address of its own. */
  | "redirect"
  /** Acts, and says that it is not the one that was to be asked (421). */
  | "misdirected"
  /** Fails, and says what it was sent as a token. */
  | "tell_token";

/** An MCP server over streamable HTTP, by hand: with sessions that it can forget, and connections that it can break. */
export interface McpWebServer {
  readonly url: string;
  readonly calls: string[];
  readonly headers: IncomingHttpHeaders[];
  readonly deleted: string[];
  /** Forgets every session; requests that name one are answered 400 then, whatever they are. */
  readonly forget: () => void;
  /** How many streams for what a server says by itself are open. */
  readonly streams: () => number;
  /** Has other tools from now on, and says so on every open stream. */
  readonly change: (tools: readonly unknown[]) => void;
  /** Ends every open stream; `refusing` opens none again until it is called with `false`. */
  readonly dropStreams: (refusing?: boolean) => void;
  readonly close: () => Promise<void>;
}

export async function mcpWebServer(
  listed: readonly unknown[],
  behaviours: Readonly<Record<string, WebBehaviour>> = {},
): Promise<McpWebServer> {
  let tools = listed;
  let refusesStreams = false;
  const streams = new Set<ServerResponse>();
  const sessions = new Set<string>();
  const calls: string[] = [];
  const deleted: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const sockets = new Set<Socket>();

  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rpc = JSON.parse(await bodyOf(request)) as Rpc;
    const session = String(request.headers["mcp-session-id"] ?? "");
    if (rpc.method === "initialize") {
      const id = crypto.randomUUID();
      sessions.add(id);
      response.setHeader("mcp-session-id", id);
      const serverInfo = { name: "web", version: "1" };
      answer(response, rpc, {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo,
      });
    } else if (!sessions.has(session)) {
      response.writeHead(400).end("Bad Request: No valid session ID provided");
    } else if (rpc.id === undefined) response.writeHead(202).end();
    else if (rpc.method === "tools/list") answer(response, rpc, { tools });
    else if (rpc.method === "ping") answer(response, rpc, {});
    else if (rpc.method === "tools/call") perform(rpc, request, response);
    else answer(response, rpc, undefined);
  };

  const perform = (rpc: Rpc, request: IncomingMessage, response: ServerResponse): void => {
    const name = rpc.params?.name ?? "";
    calls.push(name);
    const behaviour = behaviours[name] ?? "answer";
    if (behaviour === "break") response.destroy();
    else if (behaviour === "reject") response.writeHead(503).end("over capacity");
    else if (behaviour === "redirect")
      response.writeHead(307, { location: "/mcp/v2?ticket=t0ps3cret" }).end();
    else if (behaviour === "misdirected") response.writeHead(421).end();
    else if (behaviour === "tell_token")
      response.writeHead(500).end(`not for ${request.headers.authorization}`);
    else if (behaviour === "break_stream" || behaviour === "flood") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": hello\n\n");
      if (behaviour === "break_stream") setImmediate(() => response.destroy());
      else flood(response);
    } else if (behaviour === "answer") {
      answer(response, rpc, { content: [{ type: "text", text: name }] });
    }
  };

  const server = createServer((request, response) => {
    headers.push(request.headers);
    if (request.method === "DELETE") {
      deleted.push(String(request.headers["mcp-session-id"]));
      response.writeHead(200).end();
    } else if (request.method === "POST") void post(request, response);
    else if (request.method === "GET" && !refusesStreams && request.headers["mcp-session-id"] !== undefined) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": hello\n\n");
      streams.add(response);
      response.once("close", () => streams.delete(response));
    } else if (request.method === "GET") response.writeHead(503).end();
    else response.writeHead(405).end();
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    ...{ calls, headers, deleted },
    forget: () => {
      sessions.clear();
    },
    streams: () => streams.size,
    change: (others) => {
      tools = others;
      const said = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      for (const stream of streams) stream.write(`data: ${JSON.stringify(said)}\n\n`);
    },
    dropStreams: (refusing = false) => {
      refusesStreams = refusing;
      for (const stream of streams) stream.destroy();
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function answer(response: ServerResponse, { id }: Rpc, result: unknown): void {
  const error = { code: -32601, message: "Method not found" };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
}

/** One event that never ends, as fast as it is read. */
function flood(response: ServerResponse): void {
  const piece = `data: ${"x".repeat(64 * 1024)}\n`;
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += String(piece);
  return body;
}
