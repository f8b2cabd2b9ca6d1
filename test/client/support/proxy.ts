import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** What becomes of a request: it never arrives, or its answer does not, or only the first bytes of it do. */
export type Mishap = "request lost" | "answer lost" | "answer cut";

interface Rule {
  readonly path: string;
  readonly mishap: Mishap;
  times: number;
}

/**
 * A TCP proxy that cuts connections at chosen points. An answer is lost only after the server sent it: whatever the request
 * was for has happened by then.
 */
export class CuttingProxy {
  /** Every request that came, as `POST /v1/client-runs`. */
  readonly requests: string[] = [];
  readonly #rules: Rule[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #asked = new Map<Socket, string>();
  readonly #server: Server;

  private constructor(target: () => number) {
    this.#server = createServer((client) => {
      this.#relay(client, connect({ host: "127.0.0.1", port: target() }));
    });
  }

  /** @param target the port to connect to, asked for anew at each connection. */
  static async start(target: () => number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next requests whose path ends like this meet with a mishap. */
  harm(path: string, mishap: Mishap, times = 1): void {
    this.#rules.push({ path, mishap, times });
  }

  /** How many requests came whose path ends like this. */
  count(path: string): number {
    return this.requests.filter((line) => line.endsWith(path)).length;
  }

  /** Cuts the connections on which a path that holds this was asked for last. */
  cut(part: string): void {
    for (const [socket, path] of this.#asked) if (path.includes(part)) socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #relay(client: Socket, server: Socket): void {
    let mishap: Mishap | undefined;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#asked.delete(socket);
        end();
      });
    }
    client.on("data", (chunk) => {
      const [, method, path] = /^(GET|POST) (\S+) HTTP/.exec(chunk.toString("latin1")) ?? [];
      if (method !== undefined && path !== undefined) {
        this.requests.push(`${method} ${path}`);
        this.#asked.set(client, path);
        mishap = this.#take(path);
      }
      if (mishap === "request lost") end();
      else server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (mishap === "answer lost") end();
      else if (mishap === "answer cut") client.write(chunk.subarray(0, chunk.length - 5), end);
      else client.write(chunk);
    });
  }

  #take(path: string): Mishap | undefined {
    const rule = this.#rules.find((candidate) => candidate.times > 0 && path.endsWith(candidate.path));
    if (rule === undefined) return undefined;
    rule.times -= 1;
    return rule.mishap;
  }
}
