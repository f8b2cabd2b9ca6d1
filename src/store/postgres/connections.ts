import type { Client, ClientConfig, QueryResultRow } from "pg";
import { StoreUnavailable } from "../errors.js";
import { Connection, type Question } from "./connection.js";
import { isUnavailable, SchemaTooNew, unavailable } from "./errors.js";
import { SCHEMA_VERSION } from "./migrations.js";

/**
 * Makes a session one that may be relied on: durable commits, a database that can be written, and tables that we know. Every
 * question finds its rows by an index, however few there were when it was planned, and is planned once.
 */
async function prepareSession(client: Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean; version: number; setting: string }>(
    `SELECT pg_is_in_recovery() AS standby, (SELECT max(version) FROM salvor.migrations) AS version,
      CASE WHEN current_setting('synchronous_commit') = 'off'
        THEN set_config('synchronous_commit', 'on', false) ELSE '' END AS setting`,
  );
  await client.query(
    "SET plan_cache_mode TO force_generic_plan; SET enable_seqscan TO off; SET enable_hashjoin TO off; SET enable_mergejoin TO off",
  );
  const [found] = rows;
  if (found?.standby !== false) throw new StoreUnavailable("this is a standby, which cannot be written");
  if (found.version > SCHEMA_VERSION) throw new SchemaTooNew(found.version, SCHEMA_VERSION);
}

/** A connection for transactions. */
export function writingConnection(
  config: ClientConfig,
  events: { readonly onUp: () => void; readonly onDown: (reason: string) => void },
): Connection {
  return new Connection({ config, prepare: prepareSession, ...events });
}

/** Connections that only read; each question goes to the one with the fewest before it. */
export class Readers {
  readonly #connections: readonly Connection[];

  constructor(config: ClientConfig, count: number) {
    this.#connections = Array.from(
      { length: count },
      () => new Connection({ config, prepare: prepareSession }),
    );
  }

  async start(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.start()));
  }

  /** @throws StoreUnavailable when the database does not answer. */
  async rows<Row extends QueryResultRow>(question: Question): Promise<readonly Row[]> {
    const [first] = this.#connections;
    if (first === undefined) throw new StoreUnavailable("the store has no connection to read with");
    const free = this.#connections.filter(({ up }) => up).sort((a, b) => a.load - b.load);
    try {
      return (await (free[0] ?? first).ask<Row>(question)).rows;
    } catch (error) {
      throw isUnavailable(error) ? unavailable(error) : error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}
