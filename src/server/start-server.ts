import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, busy } from "./api-error.js";
import { createApp } from "./app.js";
import type { AppState } from "./app-state.js";
import { InFlight } from "./in-flight.js";
import { CHECK_MS, DEFAULT_LIMITS, limit, type Limits } from "./limits.js";
import type { Mounted } from "./mounted.js";
import { answerUnreadable, hostMissing, namesHost, refuse } from "./unreadable-request.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What it takes on at once, and how long it waits; each is as in docs/operations.md unless given. */
  readonly limits?: Partial<Limits>;
  /** What is served beside the control plane. */
  readonly mounted?: Mounted;
}

/** A server that listens. */
export interface RunningServer {
  /** Where it listens, as `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Stops accepting, lets what is being recorded or performed finish, and closes the store. Connections that are still open after
   * `graceMs` (8 s by default) are ended.
   */
  close(graceMs?: number): Promise<void>;
}

const GRACE_MS = 8_000;
/** How long before the end of the grace the tools that are still at work are told to give up, so that they can say how it went. */
const ABORT_MS = 2_000;

/**
 * Starts the control plane.
 *
 * @throws the error of `listen` when the address is taken or not ours.
 */
export async function startServer(
  state: AppState,
  { host, port, limits, mounted }: ListenOptions,
): Promise<RunningServer> {
  await state.observer.load();
  const handle = createApp(state, mounted).callback();
  const inFlight = new InFlight();
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  let draining = false;
  const server = createServer(
    {
      // Node itself would refuse a request without a Host with an empty body.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(CHECK_MS, bounds.headersMs),
    },
    (request, response) => {
      inFlight.add(request, response);
      const refusal = refusalOf(request);
      if (refusal !== undefined) refuse(state, request, response, refusal);
      else void handle(request, response);
    },
  );
  const refusalOf = (request: IncomingMessage): ApiError | undefined => {
    if (draining) return shuttingDown();
    if (isBeyond(request.socket)) return busy("connections");
    return namesHost(request) ? undefined : hostMissing();
  };
  const isBeyond = limit(server, bounds, state, inFlight);
  answerUnreadable(server, state, inFlight);

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });

  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    draining = true;
    const ended = new Promise<void>((resolve) =>
      server.close(() => {
        resolve();
      }),
    );
    server.closeIdleConnections();
    state.streams.close();
    const performed = state.hosted.stop(Math.max(0, graceMs - ABORT_MS)).then(() => mounted?.close());
    // A client that keeps its connection for the next request would be waited for until the grace is over.
    for (const response of inFlight.all) if (!response.headersSent) response.setHeader("Connection", "close");
    const force = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    await ended;
    clearTimeout(force);
    await state.modelCalls.close();
    await performed;
    await state.recorder.idle();
    await state.store.close();
  };
  return {
    url: urlOf(server.address() as AddressInfo),
    close: (graceMs = GRACE_MS) => (closing ??= close(graceMs)),
  };
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function shuttingDown(): ApiError {
  return new ApiError("shutting_down", "this server is shutting down; try again shortly", {
    headers: { "Retry-After": "1" },
  });
}
