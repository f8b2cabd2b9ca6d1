import { Connection, type ConnectionHooks } from "./connection.js";
import { McpConnectError } from "./mcp-errors.js";
import type { Reach } from "./reach.js";

/**
 * Keeps one connection to a server, and makes another when it has broken and somebody wants one. A connection that is given
 * up is closed once nothing is in flight on it any more: a call that is underway is not cut off by another's trouble.
 */
export class ConnectionKeeper {
  #current: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #isDoubtful = false;
  #isClosed = false;
  readonly #retired = new Set<Connection>();

  constructor(
    private readonly reach: Reach,
    private readonly hooks: ConnectionHooks & { readonly onReconnected: (connection: Connection) => void },
  ) {}

  /**
   * A connection that is open as far as anybody knows.
   *
   * @param isCertain whether to ask the server first, where it may have forgotten us without our knowing.
   * @throws {@link McpConnectError}
   */
  async get(isCertain = false): Promise<Connection> {
    const current = this.#current;
    if (current === undefined || current.isClosed) return this.#reopen();
    const mustAsk = this.#isDoubtful || (isCertain && current.hasSession);
    if (!mustAsk) return current;
    if (await current.isAlive()) {
      this.#isDoubtful = false;
      return current;
    }
    this.retire(current);
    return this.get();
  }

  /** Says that the server did not answer in time: whether it lives is asked before the next call. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Gives a connection up that has broken. */
  retire(connection: Connection): void {
    if (this.#current === connection) this.#current = undefined;
    this.#retired.add(connection);
    this.sweep();
  }

  /** Closes what was given up and has nothing in flight any more. */
  sweep(): void {
    for (const connection of this.#retired) {
      if (connection.inFlight > 0) continue;
      this.#retired.delete(connection);
      void connection.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = await this.#opening?.catch(() => undefined);
    const all = new Set([...this.#retired, this.#current, opening].filter((each) => each !== undefined));
    await Promise.all([...all].map((connection) => connection.close()));
  }

  #reopen(): Promise<Connection> {
    return (this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    }));
  }

  async #open(): Promise<Connection> {
    if (this.#isClosed) throw new McpConnectError(this.hooks.name, "was closed by this program");
    const before = this.#current;
    const connection = await Connection.open(this.reach, this.hooks, before?.era ?? this.#era);
    this.#era = connection.era;
    const isAnother = this.#hasConnected;
    this.#hasConnected = true;
    if (before !== undefined) this.retire(before);
    this.#current = connection;
    this.#isDoubtful = false;
    if (isAnother) this.hooks.onReconnected(connection);
    return connection;
  }

  #era: Connection["era"] | undefined;
  #hasConnected = false;
}
