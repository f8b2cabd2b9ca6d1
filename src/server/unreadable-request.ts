import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "./api-error.js";
import type { AppState } from "./app-state.js";
import { errorBody } from "./layers/envelope.js";
import { NOT_KEPT } from "./layers/not-kept.js";
import { requestIdOf } from "./layers/request-id.js";
import type { InFlight } from "./in-flight.js";

/** How long whoever is told off may take to read it and to close the connection. */
const LINGER_MS = 2_000;

/**
 * Answers what Node would answer by itself, with an empty body or not at all, in the error envelope like everything else:
 * what is no HTTP, what does not arrive in time, an expectation that nobody can meet, and a request to be a tunnel.
 */
export function answerUnreadable(server: Server, state: AppState, inFlight: InFlight): void {
  const given = new WeakSet<Duplex>();
  server.on("clientError", (cause: NodeJS.ErrnoException, socket) => {
    if (cause.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    // Whatever else arrives on it is taken in, so that the answer can be read, and is not looked at.
    if (given.has(socket)) return;
    given.add(socket);
    const answer = (): void => {
      const [first] = inFlight.on(socket);
      // What follows requests that are being answered must not be taken for their answer.
      if (first?.req.complete === true) first.once("close", answer);
      else if (first?.headersSent === true) socket.destroy();
      else endWith(state, socket, unreadable(cause));
    };
    answer();
  });
  server.on("checkExpectation", (request, response) => {
    const expectation = JSON.stringify(request.headers.expect);
    refuse(state, request, response, badRequest(`nothing here meets the expectation ${expectation}`));
  });
  server.on("connect", (request, socket) => {
    endWith(
      state,
      socket,
      badRequest("this server is no proxy: CONNECT leads nowhere"),
      requestIdOf(request),
    );
  });
}

/** Whether a request says which host it is for, as HTTP/1.1 demands; HTTP/1.0 knows no such header. */
export function namesHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host !== undefined || httpVersion === "1.0";
}

/** The refusal of a request that does not. */
export function hostMissing(): ApiError {
  return badRequest("an HTTP/1.1 request needs a Host header");
}

/** Answers a request that does not reach the application, and takes no further one on its connection. */
export function refuse(
  state: AppState,
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
): void {
  const body = errorBody(error);
  request.resume();
  response.writeHead(error.status, headersOf(error, body, noted(state, error, requestIdOf(request))));
  response.end(body);
}

/** Ends a connection with an answer to whatever was sent. */
export function endWith(state: AppState, socket: Duplex, error: ApiError, requestId?: string): void {
  const body = errorBody(error);
  const headers = headersOf(error, body, noted(state, error, requestId ?? requestIdOf({ headers: {} })));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Whoever sent it may be gone already; there is nobody left to tell.
  socket.on("error", () => undefined);
  if (!socket.writable) return;
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => {
    clearTimeout(linger);
  });
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}

function headersOf(
  error: ApiError,
  body: string,
  requestId: string,
): Readonly<Record<string, string | number>> {
  return {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
    "X-Request-Id": requestId,
    ...NOT_KEPT,
    ...error.headers,
  };
}

function noted(state: AppState, { code, status }: ApiError, requestId: string): string {
  state.observer.metrics.refused(code);
  state.logger?.info({ request_id: requestId, status, code });
  return requestId;
}

function unreadable({ code, message }: NodeJS.ErrnoException): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    // Not the request's fault alone: a report that a slow network cut off is sent again, and must not count as refused.
    return new ApiError("store_unavailable", "the request did not arrive in time: send it again", {
      headers: { "Retry-After": "1" },
    });
  }
  if (code === "HPE_HEADER_OVERFLOW") return badRequest("the headers of the request are larger than 16 KiB");
  return badRequest(`this is not an HTTP request that can be read: ${message}`);
}

function badRequest(message: string): ApiError {
  return new ApiError("bad_request", message);
}
