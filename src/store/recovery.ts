import { join } from "node:path";
import { NEW_STORE, openStoreDocument } from "./store-document.js";
import { clearScratch, makeFolders, type Folder } from "./folder.js";
import { readJournal, type JournalEnd } from "./journal-reader.js";
import type { IndexDocuments } from "./index-documents.js";
import { Ledger } from "./ledger.js";
import { StoreCorrupt } from "./lowdb-errors.js";
import { reconcile } from "./reconcile.js";
import { restoreRun } from "./restore-run.js";
import type { RunFiles } from "./run-files.js";

/** What lay in a folder, and where its journal goes on. */
export interface Recovered {
  readonly ledger: Ledger;
  readonly end: JournalEnd;
  readonly document: Awaited<ReturnType<typeof openStoreDocument>>;
}

/**
 * Makes the state from what is on disk: the documents, and the journal on top of them. Changes nothing but left-over files,
 * so that it can be cut short and done again any number of times.
 *
 * @param tailChars how many characters of events may be in memory that no document holds.
 * @throws {@link StoreCorrupt} naming file, offset and what to do.
 */
export async function recover(
  folder: Folder,
  files: RunFiles,
  index: IndexDocuments,
  tailChars: number,
): Promise<Recovered> {
  const { layer } = folder;
  for (const path of [folder.journal, folder.runs, folder.index, folder.scratch])
    await makeFolders(layer, path);
  await clearScratch(folder);
  const document = await openStoreDocument(folder);
  if (document.data === null) {
    await refuseLostStore(folder);
    document.data = NEW_STORE;
  }
  const ledger = new Ledger(tailChars);
  await readIndex(ledger, document.data.index.pieces, files, index);
  const { from } = document.data.journal;
  const replayed = { batches: 0 };
  const end = await readJournal(layer, folder.journal, from, ({ first, changes }) => {
    replayed.batches += 1;
    for (const [index, change] of changes.entries()) ledger.replay(change, first + index);
  });
  await reconcile(ledger, files);
  // When the last checkpoint was cut short, index documents may be newer than `store.json` and not durable yet.
  if (replayed.batches > 0) for (const piece of ledger.pieces.keys()) ledger.stalePieces.add(piece);
  return { ledger, end, document };
}

/** The index as far as it is there, and the documents for the rest. */
async function readIndex(
  ledger: Ledger,
  pieces: number,
  files: RunFiles,
  index: IndexDocuments,
): Promise<void> {
  let missing = 0;
  for (let piece = 0; piece < pieces; piece += 1) {
    const entries = await index.read(piece);
    if (entries === undefined) missing += 1;
    for (const entry of entries ?? []) ledger.restore(entry);
  }
  if (missing === 0) return;
  for await (const run of files.list()) {
    if (!ledger.runs.has(run)) ledger.restore(await restoreRun(files, run));
  }
  for (const piece of ledger.pieces.keys()) ledger.stalePieces.add(piece);
}

/** A folder without `store.json` is new, even if its first start was cut short, unless something that counts lies in it. */
async function refuseLostStore(folder: Folder): Promise<void> {
  const { layer } = folder;
  let lost = (await layer.list(folder.runs)).length > 0;
  if (!lost) await readJournal(layer, folder.journal, NEW_STORE.journal.from, () => (lost = true));
  if (!lost) return;
  throw new StoreCorrupt(join(folder.root, "store.json"), 0, "is missing, and the folder is not empty");
}
