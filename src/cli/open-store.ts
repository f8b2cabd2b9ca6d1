import { resolve } from "node:path";
import type { EventStore } from "../store/event-store.js";
import { openLowdbStore, type LowdbStoreOptions, type RecoveryReport } from "../store/open-lowdb-store.js";
import { CliError } from "./cli-error.js";
import type { ServeOptions } from "./commands/serve.js";
import { shellWord } from "./shell-word.js";

/** A store, and where it is, in words without a secret. */
export interface OpenedStore {
  readonly store: EventStore;
  readonly place: string;
  /** Whether everybody on this machine could read the database's password in the list of processes. */
  readonly passwordShown: boolean;
}

/** Who is told what of a store. */
export interface StoreListeners {
  /** What a start found in a folder. */
  readonly onRecovered: (report: RecoveryReport) => void;
  /** That a database is lost, and that it is back. */
  readonly onNews: (news: string) => void;
}

/**
 * Opens the store that a server was asked for: a database, or else a folder.
 *
 * @throws {@link CliError} when it cannot be used.
 */
export async function openStore(
  options: Pick<ServeOptions, "data" | "force" | "store" | "storeEnv">,
  { onNews, onRecovered }: StoreListeners,
  env: NodeJS.ProcessEnv = process.env,
): Promise<OpenedStore> {
  const url = options.store ?? readUrl(options.storeEnv, env);
  if (url === undefined) {
    const store = await openFolder({ dir: options.data, force: options.force === true, onRecovered });
    return { store, place: resolve(options.data), passwordShown: false };
  }
  const store = await openDatabase(url, onNews);
  return { store, place: placeOf(url), passwordShown: options.store !== undefined && holdsPassword(url) };
}

/** Where a database is, without who uses it and with which password. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return "a PostgreSQL database";
  const { host, pathname } = new URL(url);
  return `the PostgreSQL database ${pathname.slice(1)} at ${host === "" ? "this machine" : host}`;
}

function holdsPassword(url: string): boolean {
  // What cannot be read is not said to be safe.
  return !URL.canParse(url) || new URL(url).password !== "" || new URL(url).searchParams.has("password");
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

async function openFolder(options: LowdbStoreOptions): Promise<EventStore> {
  try {
    return await openLowdbStore(options);
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    throw new CliError(`the data folder cannot be used: ${cause.message}`, {
      next: `salvor doctor --data ${shellWord(options.dir)}, which says what is so; or --data DIR with another folder`,
      cause,
    });
  }
}

async function openDatabase(url: string, onNews: (news: string) => void): Promise<EventStore> {
  // What speaks to a database is loaded when there is one.
  const { openPostgresStore } = await import("../store/open-postgres-store.js");
  try {
    return await openPostgresStore(url, { onNews });
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    const next =
      cause.code === "schema_too_new"
        ? "start the newer salvor; docs/storage.md tells how versions of the tables follow each other"
        : "psql with the same URL; docs/storage.md tells which rights salvor needs";
    throw new CliError(`the database cannot be used: ${cause.message}`, { next, cause });
  }
}
