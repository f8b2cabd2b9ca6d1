import { Client, type ClientConfig, type QueryResult, type QueryResultRow } from "pg";
import { StoreUnavailable } from "../errors.js";
import { isRefusal, messageOf, SchemaTooNew, unavailable } from "./errors.js";

/** What to ask: a name has the database plan the text once for each connection. */
export interface Question {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface ConnectionOptions {
  readonly config: ClientConfig;
  /** What is done with every new session before anybody else uses it. */
  readonly prepare?: (client: Client) => Promise<void>;
  /** It can be used (again). */
  readonly onUp?: () => void;
  /** It cannot be used any more, and why; a next attempt follows. */
  readonly onDown?: (reason: string) => void;
}

/** The first and the longest wait between two attempts, in milliseconds. */
const BACKOFF = { first: 50, most: 3000 };

/** How long an attempt may take, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;

/** How long an answer may take, in milliseconds, before the connection counts as lost: longer than a statement may take. */
const ANSWER_TIMEOUT_MS = 75_000;

/**
 * One connection that comes back by itself. Questions are sent at once, in their order, without waiting for the answers to
 * those before them; what was on its way when the connection was lost is rejected, and whether it was done is not known.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #client: Client | undefined;
  #closed = false;
  #reason = "it is not connected yet";
  #retry: NodeJS.Timeout | undefined;
  #connecting: Promise<void> | undefined;
  #waiters: (() => void)[] = [];
  #waiting = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get up(): boolean {
    return this.#client !== undefined;
  }

  /** Why it cannot be used, when it cannot. */
  get reason(): string {
    return `the database is not reached: ${this.#reason}`;
  }

  /** How many questions have no answer yet. */
  get load(): number {
    return this.#waiting;
  }

  /** Makes the first attempt; from then on the connection sees to itself, unless that attempt was refused for good. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** @throws {@link StoreUnavailable} when it is not connected; the error of the database or of the connection otherwise. */
  async ask<Row extends QueryResultRow>({ name, text, values }: Question): Promise<QueryResult<Row>> {
    const client = this.#client;
    if (client === undefined) throw new StoreUnavailable(this.reason);
    this.#waiting += 1;
    try {
      return await client.query<Row>({
        ...(name !== undefined && { name }),
        text,
        ...(values !== undefined && { values: [...values] }),
      });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Resolves when it is connected, or when so many milliseconds are over, or when it is closed; answers which. */
  async untilUp(ms: number): Promise<boolean> {
    if (this.up || this.#closed) return this.up;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    return this.up;
  }

  /** Ends the session, and with it what it had begun. The next one is made at once. */
  drop(reason: string): void {
    const client = this.#client;
    if (client === undefined) return;
    this.#lose(client, reason);
    void client.end().catch(ignore);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#wake();
    await this.#connecting?.catch(ignore);
    const client = this.#client;
    this.#client = undefined;
    this.#reason = "it is closed";
    await client?.end().catch(ignore);
  }

  async #connect(): Promise<void> {
    const client = new Client({
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: ANSWER_TIMEOUT_MS,
      ...this.#options.config,
      pipeline: true,
    });
    // Whatever happens to the connection is told here, whether or not a question is waiting.
    let lost: string | undefined;
    const lose = (reason: string): void => {
      lost ??= reason;
      this.#lose(client, reason);
    };
    client.on("error", (error) => {
      lose(messageOf(error));
    });
    client.on("end", () => {
      lose("the connection has ended");
    });
    try {
      await client.connect();
      await this.#options.prepare?.(client);
      // It may have been lost between the last answer and here.
      if (lost !== undefined) throw new Error(lost);
    } catch (error) {
      void client.end().catch(ignore);
      throw isRefusal(error) || error instanceof SchemaTooNew ? error : unavailable(error);
    }
    if (this.#closed) {
      await client.end().catch(ignore);
      return;
    }
    this.#client = client;
    this.#options.onUp?.();
    this.#wake();
  }

  #lose(client: Client, reason: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#reason = reason;
    this.#options.onDown?.(reason);
    if (!this.#closed) this.#retryAfter(0, BACKOFF.first);
  }

  #retryAfter(ms: number, next: number): void {
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect()
        .catch((error: unknown) => {
          this.#reason = messageOf(error);
          // Many servers that lost the same database do not come back all at once.
          const jitter = 0.5 + Math.random() / 2;
          if (!this.#closed) this.#retryAfter(next * jitter, Math.min(2 * next, BACKOFF.most));
        })
        .finally(() => {
          this.#connecting = undefined;
        });
    }, ms);
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}

function ignore(): void {
  // It was to end, and it has.
}
