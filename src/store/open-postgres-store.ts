import type { EventStore } from "./event-store.js";

export interface PostgresStoreOptions {
  /** How many transactions may be under way at once; 2 by default. The second is for when the first is held up. */
  readonly lanes?: number;
  /** How many connections read; 3 by default. */
  readonly readers?: number;
  /** Whether tables are made, or brought to this program's version; where that is false and they are not, the database is refused. */
  readonly create?: boolean;
  /** For how long a database that does not answer is waited for at the start, in milliseconds; 15 000 by default. */
  readonly startTimeoutMs?: number;
  /** How often the store looks for events of other servers that it was not told of, in milliseconds; 2000 by default. */
  readonly catchUpMs?: number;
  /** Told when the database is lost and when it is back, in words without a secret. */
  readonly onNews?: (news: string) => void;
}

/**
 * Opens the store on a PostgreSQL database, which any number of servers may share (docs/storage.md). Its tables live in the
 * schema `salvor`; they are made, or brought to this program's version, when it is opened.
 *
 * The driver `pg` is loaded here, and not before.
 *
 * @param url as `postgres://user:password@host:5432/database`.
 * @throws DatabaseRefused when the URL is none, or the database refuses us: trying again would not help.
 * @throws SchemaTooNew when a newer version has made the tables.
 * @throws StoreUnavailable when it does not answer in time.
 */
export async function openPostgresStore(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<EventStore> {
  const { connectStore } = await import("./postgres/connect-store.js");
  return connectStore(url, options);
}
