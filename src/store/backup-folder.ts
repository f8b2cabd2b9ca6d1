import { dirname, join, resolve, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Folder } from "./folder.js";
import { folderOf, makeFolders } from "./folder.js";
import { JournalHolds } from "./journal-holds.js";
import { FORMAT } from "./journal-frame.js";
import { StoreCorrupt } from "./lowdb-errors.js";
import { openLowdbStore } from "./open-lowdb-store.js";
import { readOnly } from "./read-only-layer.js";
import { runCodec } from "./run-document.js";
import { openStoreDocument } from "./store-document.js";
import { verifyFolder, type VerifyReport } from "./verify-folder.js";
import { fileSystem, hasCode } from "./write-layer.js";

/** The place for a backup is not free. */
export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
  readonly code = "backup_refused";
}

export interface BackupOptions {
  readonly onProgress?: (step: "copying" | "checking", runs: number) => void;
}

/** How often a copy is begun again because the server was faster than it. */
const ATTEMPTS = 5;
/** How often one run is copied again that a checkpoint was writing meanwhile. */
const RUN_ATTEMPTS = 5;

/**
 * Copies a data folder into a new one while a server may be working on it. Only reads there. The copy holds everything that
 * was acknowledged before this began, is a whole folder to start a server on, and was checked event by event.
 *
 * The order makes it consistent: where the journal starts; every document, whichever version is there; then the journal from
 * that start on, whose files are held open so that a checkpoint may remove them. Documents newer than the start are what a
 * recovery expects, because a checkpoint that was cut short leaves the same.
 *
 * @param to must be absent or empty; a failure leaves there what was copied until then, without `store.json`.
 * @throws {@link BackupRefused} when `to` is not free, {@link StoreCorrupt} when the source is damaged beyond copying.
 */
export async function backupFolder(
  from: string,
  to: string,
  options: BackupOptions = {},
): Promise<VerifyReport> {
  const source = folderOf(readOnly(fileSystem), resolve(from));
  const target = folderOf(fileSystem, resolve(to));
  await refuseTaken(source, target);
  // A folder that cannot be read leaves nothing behind.
  if ((await openStoreDocument(source)).data === null) throw noStore(source);
  for (const path of [target.root, target.journal, target.runs, target.scratch])
    await makeFolders(fileSystem, path);
  const journalFrom = await copyAll(source, target, (runs) => options.onProgress?.("copying", runs));
  const document = await openStoreDocument(target);
  // Without its index, which may be of another moment, the copy is read and checked from its documents.
  document.data = { format: FORMAT, journal: { from: journalFrom }, index: { pieces: 1 } };
  await document.write();
  const copy = await openLowdbStore({ dir: target.root });
  await copy.close();
  return verifyFolder(target.root, { onProgress: (runs) => options.onProgress?.("checking", runs) });
}

async function refuseTaken(source: Folder, target: Folder): Promise<void> {
  if (`${target.root}${sep}`.startsWith(`${source.root}${sep}`)) {
    throw new BackupRefused(`${target.root} lies in the folder that is copied`);
  }
  const present = await fileSystem.list(target.root).catch((error: unknown) => {
    if (hasCode(error, "ENOTDIR")) throw new BackupRefused(`${target.root} is a file`);
    throw error;
  });
  if (present.length > 0)
    throw new BackupRefused(`${target.root} is not empty: a backup is never mixed with other files`);
}

function noStore({ root }: Folder): StoreCorrupt {
  return new StoreCorrupt(join(root, "store.json"), 0, "is missing");
}

/** Copies documents and journal; answers where the journal starts. */
async function copyAll(source: Folder, target: Folder, onProgress: (runs: number) => void): Promise<number> {
  const copied = new Set<string>();
  for (let attempt = 1; ; attempt += 1) {
    const { data } = await openStoreDocument(source);
    if (data === null) throw noStore(source);
    const holds = new JournalHolds(source.journal, data.journal.from);
    try {
      await holds.look();
      await copyRuns(source, target, copied, holds, onProgress);
      await holds.look();
      if (await holds.isComplete()) {
        await holds.copyTo((name, bytes) => save(join(target.journal, name), bytes));
        return data.journal.from;
      }
    } finally {
      await holds.close();
    }
    if (attempt === ATTEMPTS) {
      throw new StoreCorrupt(source.journal, 0, `files behind ${data.journal.from} are missing`);
    }
    await pause(attempt * 50);
  }
}

async function copyRuns(
  source: Folder,
  target: Folder,
  sealedCopied: Set<string>,
  holds: JournalHolds,
  onProgress: (runs: number) => void,
): Promise<void> {
  let runs = 0;
  for (const shard of await source.layer.list(source.runs)) {
    const from = join(source.runs, shard);
    const to = join(target.runs, shard);
    await makeFolders(fileSystem, to);
    for (const name of await source.layer.list(from)) {
      if (!/^[^.]+\.json$/.test(name)) continue;
      await copyRun(from, to, name.slice(0, -".json".length), sealedCopied);
      await holds.look();
      runs += 1;
      onProgress(runs);
    }
    await fileSystem.syncFolder(to);
  }
}

/** A run's document first, then the parts that it names: those are never written again, only removed when the run is erased. */
async function copyRun(from: string, to: string, run: string, sealedCopied: Set<string>): Promise<void> {
  for (let attempt = 1; attempt <= RUN_ATTEMPTS; attempt += 1) {
    const bytes = await fileSystem.read(join(from, `${run}.json`));
    await save(join(to, `${run}.json`), bytes);
    const { sealed, erased } = runCodec.decode(bytes).header;
    const parts = sealed.map((_, index) => `${run}.${index}.json`);
    const beside = (await fileSystem.list(from)).filter((name) => name.startsWith(`${run}.kept-`));
    try {
      for (const name of [...parts, ...beside]) {
        if (sealedCopied.has(name)) continue;
        await save(join(to, name), await fileSystem.read(join(from, name)));
        sealedCopied.add(name);
      }
      if (erased !== undefined) await removeParts(to, run);
      return;
    } catch (error) {
      // Erased meanwhile, which its document says by now; or gone, which the check of the copy will say.
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
}

/** What was copied of a run before it was erased must not stay. */
async function removeParts(folder: string, run: string): Promise<void> {
  for (const name of await fileSystem.list(folder)) {
    if (name.startsWith(`${run}.`) && name !== `${run}.json`) await fileSystem.unlink(join(folder, name));
  }
}

/** Writes a file as a whole, durably, over one of an attempt before. */
async function save(path: string, bytes: Uint8Array): Promise<void> {
  await fileSystem.unlink(path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
  const file = await fileSystem.create(path);
  try {
    await file.append(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  if (path.includes(`${sep}journal${sep}`)) await fileSystem.syncFolder(dirname(path));
}
