import { setTimeout as pause } from "node:timers/promises";
import type { StreamableHTTPClientTransport, Transport } from "@modelcontextprotocol/client";
import type { Reach } from "../reach.js";
import { loadSdk } from "../sdk.js";
import { boundedFetch } from "./bounded-fetch.js";
import { StdioTransport } from "./stdio-transport.js";

/** A transport to a server, and what depends on its kind. */
export interface TransportTo {
  readonly transport: Transport;
  /** What a local server has written besides its messages. */
  readonly remarks: () => string;
  /** What is told to a server before the connection is closed. */
  readonly leave: () => Promise<void>;
}

/** A transport that is not started yet. */
export async function transportTo(reach: Reach): Promise<TransportTo> {
  if (reach.kind === "stdio") {
    const transport = new StdioTransport(reach);
    return { transport, remarks: () => transport.remarks, leave: () => Promise.resolve() };
  }
  const { StreamableHTTPClientTransport } = await loadSdk();
  const transport = new StreamableHTTPClientTransport(reach.url, {
    requestInit: { headers: { ...reach.headers } },
    fetch: boundedFetch,
  });
  return { transport, remarks: () => "", leave: () => endSession(transport) };
}

/** A server that does not answer forgets a session by itself one day. */
const END_SESSION_MS = 1_000;

async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const late = new AbortController();
  const ending = transport.terminateSession().catch(() => undefined);
  await Promise.race([ending, pause(END_SESSION_MS, undefined, late).catch(() => undefined)]);
  late.abort();
}
