import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Folder } from "./folder.js";
import type { IndexDocuments } from "./index-documents.js";
import { FORMAT, segmentNumber } from "./journal-frame.js";
import type { JournalWriter } from "./journal-writer.js";
import type { Ledger } from "./ledger.js";
import type { RunKeeper } from "./run-keeper.js";
import type { openStoreDocument } from "./store-document.js";

export interface CheckpointParts {
  readonly folder: Folder;
  readonly ledger: Ledger;
  readonly writer: JournalWriter;
  readonly keeper: RunKeeper;
  readonly index: IndexDocuments;
  readonly document: Awaited<ReturnType<typeof openStoreDocument>>;
  /** Rejects when this process may not write any more. */
  readonly assertOwner: () => Promise<void>;
}

/** How many documents are written at the same time: half of libuv's four threads, so that the journal finds one free. */
const WRITERS = 2;

/**
 * Moves what the journal holds into the documents, and lets the journal go. In this order: a new journal file; the document
 * of every run that has changes in older ones; the index; `store.json`, which says that the journal starts with the new
 * file; then the old files are removed. Cut short anywhere, the old files are still there and are read again.
 */
export class Checkpoint {
  readonly #parts: CheckpointParts;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
  }

  /** Everything that is durable now lies in documents when this resolves. Calls that arrive meanwhile share the next one. */
  run(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    const { ledger, writer, keeper, document, assertOwner } = this.#parts;
    const from = await writer.roll();
    const runs = [...ledger.dirty];
    const work = runs.values();
    const failures = await Promise.allSettled(
      Array.from({ length: WRITERS }, async () => {
        for (const run of work) await keeper.keep(run);
      }),
    );
    for (const outcome of failures) if (outcome.status === "rejected") throw outcome.reason;
    await this.#writeIndex();
    document.data = { format: FORMAT, journal: { from }, index: { pieces: ledger.pieces.length } };
    await assertOwner();
    await document.write();
    await removeSegmentsBefore(this.#parts.folder, from);
  }

  async #writeIndex(): Promise<void> {
    const { ledger, index, assertOwner } = this.#parts;
    for (const piece of [...ledger.stalePieces]) {
      ledger.stalePieces.delete(piece);
      try {
        await assertOwner();
        await index.write(piece, ledger.entriesOf(piece));
      } catch (error) {
        ledger.stalePieces.add(piece);
        throw error;
      }
      await nextTurn();
    }
  }
}

/** Removes the journal files before one, durably. */
export async function removeSegmentsBefore({ layer, journal }: Folder, from: number): Promise<void> {
  const names = await layer.list(journal);
  const old = names.filter((name) => (segmentNumber(name) ?? from) < from);
  for (const name of old) await layer.unlink(join(journal, name));
  // Always: who removed them before may have died before that was durable.
  await layer.syncFolder(journal);
}
