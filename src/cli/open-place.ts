import type { EventStore } from "../store/event-store.js";
import { databaseError, databaseOf, openDatabase } from "./database.js";
import { existingFolder, folderError, openFolder } from "./data-folder.js";
import { shellWord } from "./shell-word.js";
import type { PlaceOptions } from "./help.js";

/** A store that a verb changes. */
export interface OpenPlace {
  readonly store: EventStore;
  /** Where it is, in words without a secret. */
  readonly place: string;
  /** The option that names it, to be typed again. */
  readonly option: string;
  /** What a person is told of an error of it; any other error as it is. */
  readonly errorOf: (cause: unknown) => unknown;
}

/**
 * Opens a database, or a folder that no server uses.
 *
 * @param mustExist refuses a folder that is missing and a database without tables, which are made otherwise.
 * @throws CliError when it cannot be used.
 */
export async function openPlace(options: PlaceOptions, mustExist = false): Promise<OpenPlace> {
  const database = databaseOf(options);
  if (database !== undefined) {
    const { place, option } = database;
    const store = await openDatabase(database, { create: !mustExist });
    return { store, place, option, errorOf: (cause) => databaseError(cause, option) };
  }
  const dir = mustExist ? await existingFolder(options.data) : options.data;
  const option = `--data ${shellWord(dir)}`;
  return {
    store: await openFolder(dir),
    place: dir,
    option,
    errorOf: (cause) => folderError(cause, dir),
  };
}
