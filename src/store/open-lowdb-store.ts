import { join, resolve } from "node:path";
import { Checkpoint, removeSegmentsBefore } from "./checkpoint.js";
import type { EventStore } from "./event-store.js";
import { FolderNotices } from "./folder-notices.js";
import { folderOf, makeFolders } from "./folder.js";
import { IndexDocuments } from "./index-documents.js";
import { segmentName } from "./journal-frame.js";
import { JournalWriter } from "./journal-writer.js";
import { FolderLock } from "./lock.js";
import { LogReader } from "./log-reader.js";
import { LowdbStore } from "./lowdb-store.js";
import { processTable, type ProcessTable } from "./process-identity.js";
import { recover } from "./recovery.js";
import { RunFiles } from "./run-files.js";
import { RunKeeper } from "./run-keeper.js";
import { fileSystem, type WriteLayer } from "./write-layer.js";

export interface LowdbStoreOptions {
  /** The data folder; made when it is missing. */
  readonly dir: string;
  /** Takes the folder over even when its holder cannot be shown to have ended, such as one on another host. */
  readonly force?: boolean;
  /** A checkpoint is made when the journal is this long; 64 MiB by default. */
  readonly checkpointBytes?: number;
  /**
   * So many bytes of events may be in memory that no document holds yet; beyond that, appends wait for a checkpoint. 128 MiB
   * by default.
   */
  readonly tailBytes?: number;
  /** A checkpoint is made when nothing was recorded for this many milliseconds; 10 000 by default. */
  readonly idleMs?: number;
  /** How many bytes of logs, as they are on disk, are kept in memory for readers; 32 MiB by default. */
  readonly cacheBytes?: number;
  /** So many events of a long run go into a document of their own, which is never written again; 1000 by default. */
  readonly partEvents?: number;
  /** Called once the folder is recovered, before anything is written. */
  readonly onRecovered?: (report: RecoveryReport) => void;
  /** The disk. */
  readonly layer?: WriteLayer;
  /** Who this process is, and which others live. */
  readonly processes?: ProcessTable;
}

/** What a start found in a folder. */
export interface RecoveryReport {
  readonly runs: number;
  /** The end of the journal that was cut: a batch that nobody was told about, of which a crash left only a part. */
  readonly cut?: { readonly file: string; readonly offset: number; readonly bytes: number };
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
  const assertOwner = async (): Promise<void> => {
    const lost = await lock.takenOver();
    if (lost !== undefined) throw lost;
  };
  try {
    const files = new RunFiles(folder, assertOwner);
    const index = new IndexDocuments(folder);
    const { ledger, end, document } = await recover(folder, files, index, options.tailBytes ?? TAIL_BYTES);
    options.onRecovered?.({
      runs: ledger.runs.size,
      ...(end.cut > 0 && {
        cut: { file: join(folder.journal, segmentName(end.segment)), offset: end.cutAt, bytes: end.cut },
      }),
    });
    const writer = new JournalWriter(
      {
        layer,
        folder: folder.journal,
        scratch: folder.scratch,
        takenOver: () => lock.takenOver(LOCK_AGE_MS),
      },
      end,
    );
    await writer.roll();
    // Also when it says nothing new: who wrote it may have died before that was durable, and files go that it does not name.
    await document.write();
    await removeSegmentsBefore(folder, document.data?.journal.from ?? 0);
    const keeper = new RunKeeper(ledger, files, options.partEvents ?? PART_EVENTS);
    const checkpoint = new Checkpoint({ folder, ledger, writer, keeper, index, document, assertOwner });
    const reader = new LogReader(ledger, files, options.cacheBytes ?? CACHE_BYTES);
    const limits = {
      checkpointBytes: options.checkpointBytes ?? CHECKPOINT_BYTES,
      idleMs: options.idleMs ?? IDLE_MS,
    };
    const notices = new FolderNotices(folder);
    return new LowdbStore({ ledger, writer, lock, reader, checkpoint, notices, ...limits });
  } catch (error) {
    await lock.release().catch(() => undefined);
    throw error;
  }
}

/** How old the last look at the lock may be when a batch is acknowledged. */
const LOCK_AGE_MS = 100;
const CACHE_BYTES = 32 * 1024 * 1024;
const CHECKPOINT_BYTES = 64 * 1024 * 1024;
const TAIL_BYTES = 128 * 1024 * 1024;
const PART_EVENTS = 1000;
const IDLE_MS = 10_000;
