import { resolve } from "node:path";
import type { EventStore } from "../store/event-store.js";
import { whyUnusable } from "../store/examine-folder.js";
import { openLowdbStore, StoreCorrupt } from "../store/index.js";
import { asError, hasCode } from "../store/write-layer.js";
import { CliError } from "./cli-error.js";
import { sameCommand, shellWord } from "./shell-word.js";

/**
 * The path of a data folder that is there: no verb but `serve` and `import` makes one, so that a mistyped name is noticed.
 *
 * @throws {@link CliError} saying what is there instead.
 */
export async function existingFolder(data: string): Promise<string> {
  const dir = resolve(data);
  const why = await whyUnusable(dir);
  if (why === undefined) return dir;
  throw new CliError(why.says, { next: why.next });
}

/**
 * Opens a folder that no server uses, for a verb that changes it.
 *
 * @throws {@link CliError} when a server uses it, or when it cannot be used.
 */
export async function openFolder(data: string): Promise<EventStore> {
  const dir = resolve(data);
  try {
    return await openLowdbStore({ dir });
  } catch (cause) {
    if (asError(cause).name !== "FolderLocked") throw folderError(cause, dir);
    throw new CliError(asError(cause).message, {
      next: `stop that server, then: ${sameCommand()}`,
      cause,
    });
  }
}

/** What a person is told of an error of a folder; any other error as it is. */
export function folderError(cause: unknown, dir: string): unknown {
  const known = cause instanceof Error && "code" in cause;
  if (!known || cause instanceof CliError) return cause;
  const doctor = `salvor doctor --data ${shellWord(dir)}`;
  if (cause instanceof StoreCorrupt) return new CliError(cause.message, { next: doctor, cause });
  if (hasCode(cause, "ENOSPC"))
    return new CliError(`the disk is full: ${cause.message}`, {
      next: "free some space, then: " + sameCommand(),
      cause,
    });
  return new CliError(cause.message, { next: doctor, cause });
}
