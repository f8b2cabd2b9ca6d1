import { resolve } from "node:path";
import type { EventStore } from "../store/event-store.js";
import { openLowdbStore, type LowdbStoreOptions, type RecoveryReport } from "../store/open-lowdb-store.js";
import { CliError } from "./cli-error.js";
import type { ServeOptions } from "./commands/serve.js";
import { databaseOf, openDatabase } from "./database.js";
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
  const database = databaseOf(options, env);
  if (database === undefined) {
    const store = await openFolder({ dir: options.data, force: options.force === true, onRecovered });
    return { store, place: resolve(options.data), passwordShown: false };
  }
  const { url, place } = database;
  const store = await openDatabase(database, { onNews });
  return { store, place, passwordShown: options.store !== undefined && holdsPassword(url) };
}

function holdsPassword(url: string): boolean {
  // What cannot be read is not said to be safe.
  return !URL.canParse(url) || new URL(url).password !== "" || new URL(url).searchParams.has("password");
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
