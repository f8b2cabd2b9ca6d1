import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError } from "./api-error.js";
import { createApp } from "./app.js";
import type { AppState } from "./app-state.js";
import { answerUnreadable, hostMissing, namesHost, refuse } from "./unreadable-request.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
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

const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const MAX_CONNECTIONS = 10_000;
const GRACE_MS = 8_000;
/** How long before the end of the grace the tools that are still at work are told to give up, so that they can say how it went. */
const ABORT_MS = 2_000;

/**
 * Starts the control plane.
 *
 * @throws the error of `listen` when the address is taken or not ours.
 */
export async function startServer(state: AppState, { host, port }: ListenOptions): Promise<RunningServer> {
  const handle = createApp(state).callback();
  let draining = false;
  const answering = new Set<ServerResponse>();
  // Node itself would refuse a request without a Host with an empty body.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    if (draining || !namesHost(request)) {
      refuse(request, response, draining ? shuttingDown() : hostMissing());
      return;
    }
    answering.add(response);
    response.once("close", () => answering.delete(response));
    void handle(request, response);
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  answerUnreadable(server);

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
    const performed = state.hosted.stop(Math.max(0, graceMs - ABORT_MS));
    // A client that keeps its connection for the next request would be waited for until the grace is over.
    for (const response of answering) if (!response.headersSent) response.setHeader("Connection", "close");
    const force = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    await ended;
    clearTimeout(force);
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
