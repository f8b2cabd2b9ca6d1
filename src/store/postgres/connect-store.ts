import { setTimeout as wait } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { StoreUnavailable } from "../errors.js";
import type { EventStore } from "../event-store.js";
import type { PostgresStoreOptions } from "../open-postgres-store.js";
import { DatabaseRefused, isRefusal, messageOf, SchemaTooNew } from "./errors.js";
import { migrate, requireTables } from "./migrations.js";
import { PostgresStore } from "./postgres-store.js";

/** How long a session of ours may keep a lock without doing anything, and how long one statement may take. */
const SESSION = { idle_in_transaction_session_timeout: 15_000, statement_timeout: 60_000 };

/** What {@link openPostgresStore} does once the driver may be loaded. */
export async function connectStore(url: string, options: PostgresStoreOptions): Promise<EventStore> {
  const config = configOf(url);
  const deadline = performance.now() + (options.startTimeoutMs ?? 15_000);
  for (;;) {
    let store: PostgresStore | undefined;
    try {
      await prepareTables(config, options.create ?? true);
      store = new PostgresStore(config, options);
      await store.start();
      return store;
    } catch (error) {
      await store?.close();
      if (error instanceof SchemaTooNew || error instanceof DatabaseRefused) throw error;
      if (isRefusal(error)) throw new DatabaseRefused(messageOf(error), { cause: error });
      // A database that is starting, or a network that is not up yet.
      if (performance.now() >= deadline) {
        throw new StoreUnavailable(`the database does not answer: ${messageOf(error)}`, { cause: error });
      }
      await wait(200);
    }
  }
}

/** @throws {@link DatabaseRefused} without the URL, which may hold a password. */
export function configOf(url: string): ClientConfig {
  try {
    if (/^postgres(?:ql)?:\/\//.test(url)) {
      return { ...parseIntoClientConfig(url), application_name: "salvor", ...SESSION };
    }
  } catch {
    // Its message may quote what it was given.
  }
  throw new DatabaseRefused(
    "this is no URL of a database: postgres://user:password@host:5432/database is one",
  );
}

async function prepareTables(config: ClientConfig, create: boolean): Promise<void> {
  // Making an index over what is there may take long.
  const client = new Client({ ...config, statement_timeout: 0, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    if (create) await migrate(client);
    else await requireTables(client);
    const { rows } = await client.query<{ fsync: string }>("SELECT current_setting('fsync') AS fsync");
    if (rows[0]?.fsync === "off") {
      process.emitWarning(
        "fsync is off in this PostgreSQL: what salvor calls recorded does not survive a crash of its machine",
        "NotDurable",
      );
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}
