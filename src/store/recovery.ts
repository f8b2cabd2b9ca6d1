import { join } from "node:path";
import { NEW_STORE, openStoreDocument } from "./store-document.js";
import { clearScratch, makeFolders, type Folder } from "./folder.js";
import { readJournal, type JournalEnd } from "./journal-reader.js";
import { Ledger } from "./ledger.js";
import { StoreCorrupt } from "./lowdb-errors.js";

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
 * @throws {@link StoreCorrupt} naming file, offset and what to do.
 */
export async function recover(folder: Folder): Promise<Recovered> {
  const { layer } = folder;
  for (const path of [folder.journal, folder.runs, folder.index, folder.scratch])
    await makeFolders(layer, path);
  await clearScratch(folder);
  const document = await openStoreDocument(folder);
  if (document.data === null) {
    await refuseLostStore(folder);
    document.data = NEW_STORE;
  }
  const ledger = new Ledger();
  const { from } = document.data.journal;
  const end = await readJournal(layer, folder.journal, from, ({ first, changes }) => {
    for (const [index, change] of changes.entries()) ledger.replay(change, first + index);
  });
  return { ledger, end, document };
}

/** A folder without `store.json` is new, even if its first start was cut short, unless something that counts lies in it. */
async function refuseLostStore(folder: Folder): Promise<void> {
  const { layer } = folder;
  let lost = (await layer.list(folder.runs)).length > 0;
  await readJournal(layer, folder.journal, NEW_STORE.journal.from, () => (lost = true));
  if (!lost) return;
  throw new StoreCorrupt(join(folder.root, "store.json"), 0, "is missing, and the folder is not empty");
}
