import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { SALVOR_MAIN } from "../../support/spawn-server.js";

/** What a client's user does with a form; without it the client has no forms. */
export type Answer = (params: { readonly message: string; readonly requestedSchema?: unknown }) => {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | boolean>;
};

/** A call's answer: `any`, because a test asserts what it looks like. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Result = any;

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface AskOptions {
  readonly meta?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/** An MCP client that somebody else wrote, connected to a server. */
export interface TestClient {
  readonly kind: ClientKind;
  list(): Promise<Result>;
  call(name: string, args?: Record<string, unknown>, options?: AskOptions): Promise<Result>;
  /** The process at the other end, where there is one. */
  readonly pid: number;
  close(): Promise<void>;
}

/** The client of this SDK in its newest revision of the protocol and in the one before, and that of the SDK before it. */
export const CLIENT_KINDS = ["2026-07-28", "2025-11-25", "sdk 1"] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** Where the server is: at an address, or a `salvor mcp` with these arguments that the client starts. */
export type Where =
  { readonly url: string; readonly headers?: Record<string, string> } | { readonly args: readonly string[] };

export async function connect(kind: ClientKind, where: Where, answer?: Answer): Promise<TestClient> {
  const about = { name: "test", version: "1.0.0" };
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const http = "url" in where ? { url: new URL(where.url), headers: where.headers ?? {} } : undefined;
  const start = {
    command: process.execPath,
    args: [SALVOR_MAIN, "mcp", ...("args" in where ? where.args : [])],
    env: process.env as Record<string, string>,
    stderr: "ignore" as const,
  };
  if (kind === "sdk 1") {
    const client = new OldClient(about, { capabilities });
    if (answer !== undefined) {
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params) as never);
    }
    const stdio = http === undefined ? new OldStdioTransport(start) : undefined;
    const transport = http && new OldHttpTransport(http.url, { requestInit: { headers: http.headers } });
    await client.connect((stdio ?? transport) as never);
    return {
      kind,
      list: () => client.listTools(),
      call: (name, args = {}, { meta, signal, onprogress } = {}) =>
        client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) }, undefined, {
          ...(signal && { signal }),
          ...(onprogress && { onprogress }),
        }),
      get pid() {
        return stdio?.pid ?? 0;
      },
      close: () => client.close(),
    };
  }
  const client = new Client(about, {
    capabilities,
    versionNegotiation: { mode: kind === "2026-07-28" ? { pin: kind } : "legacy" },
  });
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params as never) as never);
  }
  const stdio = http === undefined ? new StdioClientTransport(start) : undefined;
  const transport =
    http && new StreamableHTTPClientTransport(http.url, { requestInit: { headers: http.headers } });
  await client.connect((stdio ?? transport) as never);
  return {
    kind,
    list: () => client.listTools(),
    call: (name, args = {}, { meta, signal, onprogress } = {}) =>
      client.callTool(
        { name, arguments: args, ...(meta && { _meta: meta }) },
        { ...(signal && { signal }), ...(onprogress && { onprogress }) },
      ),
    get pid() {
      return stdio?.pid ?? 0;
    },
    close: () => client.close(),
  };
}
