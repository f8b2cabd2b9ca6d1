import { resolve } from "node:path";
import type { EventStore } from "./event-store.js";
import { folderOf, makeFolders } from "./folder.js";
import { JournalWriter } from "./journal-writer.js";
import { FolderLock } from "./lock.js";
import { LowdbStore } from "./lowdb-store.js";
import { processTable, type ProcessTable } from "./process-identity.js";
import { recover } from "./recovery.js";
import { fileSystem, type WriteLayer } from "./write-layer.js";

export interface LowdbStoreOptions {
  /** The data folder; made when it is missing. */
  readonly dir: string;
  /** Takes the folder over even when its holder cannot be shown to have ended, such as one on another host. */
  readonly force?: boolean;
  /** The disk. */
  readonly layer?: WriteLayer;
  /** Who this process is, and which others live. */
  readonly processes?: ProcessTable;
}

/**
 * Opens the default store on a folder: recovers what is there, and holds the folder until it is closed.
 *
 * @throws FolderLocked when another process uses the folder, naming it.
 * @throws StoreCorrupt when the folder holds something that cannot come from a crash, naming file and offset.
 * @throws FormatTooNew when a newer version wrote it.
 */
export async function openLowdbStore(options: LowdbStoreOptions): Promise<EventStore> {
  const { layer = fileSystem, processes = processTable, force = false } = options;
  const folder = folderOf(layer, resolve(options.dir));
  await makeFolders(layer, folder.root);
  const lock = await FolderLock.take(folder.root, { layer, processes, force });
  try {
    const { ledger, end, document } = await recover(folder);
    const writer = new JournalWriter(
      { layer, folder: folder.journal, scratch: folder.scratch, takenOver: () => lock.takenOver() },
      end,
    );
    await writer.roll();
    await document.write();
    return new LowdbStore({ ledger, writer, lock });
  } catch (error) {
    await lock.release().catch(() => undefined);
    throw error;
  }
}
