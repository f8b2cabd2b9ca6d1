import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { busy } from "./api-error.js";
import type { AppState } from "./app-state.js";
import { noteDropped } from "./dropped-connections.js";
import type { InFlight } from "./in-flight.js";
import { endWith } from "./unreadable-request.js";

/** What a server takes on at once, and how long it waits. Times are in milliseconds. */
export interface Limits {
  /** Connections; what comes beyond is told to come back. */
  readonly connections: number;
  /** Until the headers of a request have arrived. */
  readonly headersMs: number;
  /** Until a request has arrived whole. */
  readonly requestMs: number;
  /** Until the next request on a connection that is kept. */
  readonly keepAliveMs: number;
  /** Without progress of a reader who has not taken all of an answer. */
  readonly stallMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  connections: 10_000,
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 65_000,
  stallMs: 60_000,
};

/** How many connections beyond the limit are still told so at a time; only a flood is dropped without a word. */
const TOLD_BEYOND = 1_000;

/** How long such a connection may take to ask what it is then refused. */
const TOLD_WITHIN_MS = 2_000;

/** How often it is looked for requests that take too long, at the latest. */
export const CHECK_MS = 1_000;

/**
 * Bounds what a server takes on.
 *
 * @returns whether a connection is one too many, whose requests are refused with {@link busy}.
 */
export function limit(
  server: Server,
  limits: Limits,
  state: AppState,
  inFlight: InFlight,
): (socket: Duplex) => boolean {
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.requestMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  // The bytes of the headers are bounded. Node would drop those beyond a number of them, and with them what they guard.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections + TOLD_BEYOND;
  noteDropped(server, state);
  server.setTimeout(limits.stallMs, (socket) => {
    // While an answer is being made, it is this server that is silent.
    if (socket.writableLength === 0 && inFlight.on(socket).length > 0) return;
    socket.destroy();
  });

  let open = 0;
  const beyond = new WeakSet<Duplex>();
  server.on("connection", (socket) => {
    open += 1;
    socket.once("close", () => (open -= 1));
    if (open <= limits.connections) return;
    beyond.add(socket);
    const late = setTimeout(() => {
      endWith(state, socket, busy("connections"));
    }, TOLD_WITHIN_MS);
    socket.once("close", () => {
      clearTimeout(late);
    });
  });
  return (socket) => beyond.has(socket);
}
