import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "./api-error.js";
import { errorBody } from "./layers/envelope.js";

/**
 * Answers what Node would answer by itself, with an empty body or not at all, in the error envelope like everything else:
 * what is no HTTP, an expectation that nobody can meet, and a request to be a tunnel.
 */
export function answerUnreadable(server: Server): void {
  server.on("clientError", (cause: NodeJS.ErrnoException, socket) => {
    if (cause.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else endWith(socket, badRequest(`this is not an HTTP request that can be read: ${cause.message}`));
  });
  server.on("checkExpectation", (request, response) => {
    const expectation = JSON.stringify(request.headers.expect);
    refuse(request, response, badRequest(`nothing here meets the expectation ${expectation}`));
  });
  server.on("connect", (_request, socket) => {
    endWith(socket, badRequest("this server is no proxy: CONNECT leads nowhere"));
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
export function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  const body = errorBody(error);
  request.resume();
  response.writeHead(error.status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
    ...error.headers,
  });
  response.end(body);
}

function badRequest(message: string): ApiError {
  return new ApiError("bad_request", message);
}

function endWith(socket: Duplex, error: ApiError): void {
  const body = errorBody(error);
  const reason = STATUS_CODES[error.status] ?? "";
  // Whoever sent it may be gone already; there is nobody left to tell.
  socket.on("error", () => undefined);
  socket.end(
    `HTTP/1.1 ${error.status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
