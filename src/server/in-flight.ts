import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The requests that are being answered, by connection: a client may send the next before it has the answer to the first. */
export class InFlight {
  readonly #responses = new Map<Duplex, Set<ServerResponse>>();

  add({ socket }: IncomingMessage, response: ServerResponse): void {
    const here = this.#responses.get(socket) ?? new Set();
    this.#responses.set(socket, here.add(response));
    response.once("close", () => {
      here.delete(response);
      if (here.size === 0) this.#responses.delete(socket);
    });
  }

  /** The answers that are being made on a connection, in their order. */
  on(socket: Duplex): readonly ServerResponse[] {
    return [...(this.#responses.get(socket) ?? [])];
  }

  get all(): readonly ServerResponse[] {
    return [...this.#responses.values()].flatMap((here) => [...here]);
  }
}
