import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

interface Rpc {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string } & Readonly<Record<string, unknown>>;
}

/** What a web server does with a call of a tool, by the tool's name. */
export type WebBehaviour = "answer" | "break" | "break_stream" | "hang" | "reject" | "flood";

/** An MCP server over streamable HTTP, by hand: with sessions that it can forget, and connections that it can break. */
export interface McpWebServer {
  readonly url: string;
  readonly calls: string[];
  readonly headers: IncomingHttpHeaders[];
  readonly deleted: string[];
  /** Forgets every session; requests that name one are answered 400 then, whatever they are. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

export async function mcpWebServer(
  tools: readonly unknown[],
  behaviours: Readonly<Record<string, WebBehaviour>> = {},
): Promise<McpWebServer> {
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
      answer(response, rpc, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    } else if (!sessions.has(session)) {
      response.writeHead(400).end("Bad Request: No valid session ID provided");
    } else if (rpc.id === undefined) response.writeHead(202).end();
    else if (rpc.method === "tools/list") answer(response, rpc, { tools });
    else if (rpc.method === "ping") answer(response, rpc, {});
    else if (rpc.method === "tools/call") perform(rpc, response);
    else answer(response, rpc, undefined);
  };

  const perform = (rpc: Rpc, response: ServerResponse): void => {
    const name = rpc.params?.name ?? "";
    calls.push(name);
    const behaviour = behaviours[name] ?? "answer";
    if (behaviour === "break") response.destroy();
    else if (behaviour === "reject") response.writeHead(503).end("over capacity");
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
