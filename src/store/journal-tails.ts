import { join } from "node:path";
import type { Change } from "./changes.js";
import type { Folder } from "./folder.js";
import { readJournal, type JournalEnd } from "./journal-reader.js";
import { StoreCorrupt } from "./lowdb-errors.js";
import { openStoreDocument } from "./store-document.js";

/** What a journal holds of one run. */
export interface JournalTail {
  /** The position of the first event. */
  readonly from: number;
  readonly events: { readonly hash: string; readonly text: string }[];
  erased: boolean;
}

/** What a journal holds of each run, for one who only reads. */
export class JournalTails {
  readonly #tails = new Map<string, JournalTail>();

  add(change: Change): void {
    const tail = this.#tails.get(change.run);
    if (change.kind === "erase") this.#tails.set(change.run, { from: 0, events: [], erased: true });
    if (change.kind !== "append") return;
    const events = change.events.map(({ hash, text }) => ({ hash, text }));
    if (tail !== undefined) tail.events.push(...events);
    else this.#tails.set(change.run, { from: change.events[0]?.envelope.seq ?? 0, events, erased: false });
  }

  of(run: string): JournalTail | undefined {
    return this.#tails.get(run);
  }

  runs(): Iterable<string> {
    return this.#tails.keys();
  }
}

/** How often a journal is read again that a server was moving meanwhile. */
const ATTEMPTS = 10;

/**
 * Reads the journal of a folder that a server may be working on.
 *
 * @throws {@link StoreCorrupt} naming file and offset, {@link FormatTooNew} when a newer version wrote it.
 */
export async function readTails(folder: Folder): Promise<{ tails: JournalTails; end: JournalEnd }> {
  for (let attempt = 1; ; attempt += 1) {
    const from = await journalStart(folder);
    const tails = new JournalTails();
    try {
      const end = await readJournal(folder.layer, folder.journal, from, ({ changes }) => {
        for (const change of changes) tails.add(change);
      });
      return { tails, end };
    } catch (error) {
      // A checkpoint has removed files that were still to be read: they lie in the documents now.
      if (attempt < ATTEMPTS && (await journalStart(folder)) !== from) continue;
      throw error;
    }
  }
}

/** @throws {@link StoreCorrupt} when the folder does not say where its journal starts. */
async function journalStart(folder: Folder): Promise<number> {
  const { data } = await openStoreDocument(folder);
  if (data === null) throw new StoreCorrupt(join(folder.root, "store.json"), 0, "is missing");
  return data.journal.from;
}
