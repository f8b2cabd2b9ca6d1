import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface MessagesRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Handler = (response: ServerResponse, request: MessagesRequest) => void | Promise<void>;

/** A server that speaks the Messages API as a test tells it to. */
export class MessagesApi {
  readonly requests: MessagesRequest[] = [];
  readonly #handlers: Handler[] = [];

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<MessagesApi> {
    const server = createServer();
    const api = new MessagesApi(server);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void api.#answer(request, response).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next requests are answered like this, one each. */
  next(...handlers: Handler[]): void {
    this.#handlers.push(...handlers);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = { path: request.url ?? "", headers: request.headers, body: await text(request) };
    this.requests.push(asked);
    const handler = this.#handlers.shift();
    if (handler === undefined)
      json(500, { type: "error", error: { type: "api_error", message: "unscripted" } })(response);
    else await handler(response, asked);
  }
}

/** Answers JSON, or text as it is. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json", "request-id": "req_1", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Answers an error as the Messages API does. */
export function refusal(status: number, type: string, message: string, headers = {}) {
  return json(status, { type: "error", error: { type, message } }, headers);
}

/** Answers a stream of these events and ends it; a string is sent as it is. */
export function events(...sent: readonly (string | { readonly type: string })[]) {
  return (response: ServerResponse): void => {
    begin(response);
    for (const event of sent) response.write(frame(event));
    response.end();
  };
}

export function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_1" });
}

export function frame(event: string | { readonly type: string }): string {
  return typeof event === "string" ? event : `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
