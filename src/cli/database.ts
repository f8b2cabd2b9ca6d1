import type { EventStore } from "../store/event-store.js";
import type { PostgresStoreOptions } from "../store/open-postgres-store.js";
import { CliError } from "./cli-error.js";
import type { PlaceOptions } from "./help.js";

/** A database that a command line names. */
export interface Database {
  /** It may hold a password: never printed. */
  readonly url: string;
  /** Where it is, without who uses it and with which password. */
  readonly place: string;
  /** The option that names it, to be typed again. */
  readonly option: string;
}

/**
 * The database that was asked for, or `undefined` for a folder.
 *
 * @throws {@link CliError} for a variable that holds none.
 */
export function databaseOf(
  { store, storeEnv }: Pick<PlaceOptions, "store" | "storeEnv">,
  env: NodeJS.ProcessEnv = process.env,
): Database | undefined {
  const url = store ?? readUrl(storeEnv, env);
  if (url === undefined) return undefined;
  const option = storeEnv === undefined ? "--store postgres://..." : `--store-env ${storeEnv}`;
  return { url, place: placeOf(url), option };
}

/** @throws {@link CliError} when it cannot be used. */
export async function openDatabase(
  { url, option }: Database,
  options: PostgresStoreOptions = {},
): Promise<EventStore> {
  // What speaks to a database is loaded when there is one.
  const { openPostgresStore } = await import("../store/open-postgres-store.js");
  try {
    return await openPostgresStore(url, options);
  } catch (cause) {
    throw databaseError(cause, option);
  }
}

/**
 * Lets somebody read a database that has our tables, and closes it.
 *
 * @throws {@link CliError} when it cannot be used; any other error as it is.
 */
export async function readDatabase<T>(
  database: Database,
  read: (store: EventStore) => Promise<T>,
): Promise<T> {
  const store = await openDatabase(database, { create: false });
  try {
    return await read(store);
  } catch (cause) {
    throw databaseError(cause, database.option);
  } finally {
    await store.close();
  }
}

/** What a person is told of an error of a database; any other error as it is. */
export function databaseError(cause: unknown, option: string): unknown {
  if (!(cause instanceof Error) || !("code" in cause) || cause instanceof CliError) return cause;
  const next =
    cause.code === "schema_too_new"
      ? "start the newer salvor; docs/storage.md tells how versions of the tables follow each other"
      : `salvor doctor ${option}, which says what is so; docs/storage.md tells which rights salvor needs`;
  return new CliError(`the database cannot be used: ${cause.message}`, { next, cause });
}

function placeOf(url: string): string {
  if (!URL.canParse(url)) return "a PostgreSQL database";
  const { host, pathname } = new URL(url);
  return `the PostgreSQL database ${pathname.slice(1)} at ${host === "" ? "this machine" : host}`;
}

function readUrl(variable: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (variable === undefined) return undefined;
  const url = env[variable];
  if (url !== undefined && url !== "") return url;
  throw new CliError(
    `--store-env names the environment variable ${variable}, which is ${url === undefined ? "not set" : "empty"}`,
    { next: `export ${variable}=postgres://user:password@host:5432/database, or name another variable` },
  );
}
