import { join } from "node:path";
import { CHAIN_START } from "../log/chain.js";
import { readChain } from "./chain-check.js";
import { placeOfDamage } from "./damaged-batch.js";
import { TamperEvident } from "./errors.js";
import { folderOf } from "./folder.js";
import { IndexDocuments, type IndexEntry } from "./index-documents.js";
import { isCutShort, segmentName } from "./journal-frame.js";
import type { JournalTails } from "./journal-tails.js";
import { readTails } from "./journal-tails.js";
import { StoreCorrupt } from "./lowdb-errors.js";
import { readHolder } from "./lock.js";
import { processTable, type ProcessTable } from "./process-identity.js";
import { readOnly } from "./read-only-layer.js";
import { restoreRun } from "./restore-run.js";
import { RunFiles } from "./run-files.js";
import { openStoreDocument } from "./store-document.js";
import { fileSystem, type WriteLayer } from "./write-layer.js";

/** Something in a folder that is not as it was written. */
export interface VerifyFinding {
  readonly file: string;
  /** Where in the file, in bytes, where that is known. */
  readonly offset?: number;
  readonly run?: string;
  /** The first position of the run that does not hold. */
  readonly seq?: number;
  readonly detail: string;
}

export interface VerifyReport {
  /** How many runs were checked, and how many of their events hold. */
  readonly runs: number;
  readonly events: number;
  /** Bytes of a last batch that was cut short by a crash: nobody was told about it, and the next start removes it. */
  readonly torn: number;
  readonly findings: readonly VerifyFinding[];
}

export interface VerifyOptions {
  readonly layer?: WriteLayer;
  readonly processes?: ProcessTable;
  readonly onProgress?: (runs: number) => void;
}

/**
 * Checks every file and every hash chain of a data folder. Only reads, so that it may run beside a server: what that one is
 * writing right now is not judged.
 *
 * @throws {@link FormatTooNew} when a newer version wrote the folder.
 */
export async function verifyFolder(dir: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { layer = fileSystem, processes = processTable, onProgress } = options;
  const holder = await readHolder(layer, join(dir, "lock")).catch(() => undefined);
  const inUse = holder !== undefined && (await processes.isAlive(holder)) !== false;
  return new FolderCheck(readOnly(layer), dir, inUse).run(onProgress);
}

class FolderCheck {
  readonly #folder: ReturnType<typeof folderOf>;
  readonly #files: RunFiles;
  readonly #inUse: boolean;
  readonly #findings: VerifyFinding[] = [];
  #events = 0;
  #torn = 0;

  constructor(layer: WriteLayer, dir: string, inUse: boolean) {
    this.#folder = folderOf(layer, dir);
    this.#files = new RunFiles(this.#folder, () => Promise.reject(new Error("this one only reads")));
    this.#inUse = inUse;
  }

  /** The journal and the index first: whatever a checkpoint moves meanwhile is found in the documents then. */
  async run(onProgress?: (runs: number) => void): Promise<VerifyReport> {
    const tails = await this.#journal();
    const index = await this.#index();
    const seen = new Set<string>();
    for await (const run of this.#files.list()) {
      seen.add(run);
      await this.#document(run, tails, index.get(run));
      onProgress?.(seen.size);
    }
    for (const [run, entry] of index) {
      if (!seen.has(run) && entry.covered.change > 0) {
        this.#findings.push({ file: this.#fileOf(run), run, seq: 0, detail: "the document is gone" });
      }
    }
    for (const run of tails?.runs() ?? []) {
      if (seen.has(run)) continue;
      seen.add(run);
      await this.#tail(run, tails, 0, CHAIN_START);
    }
    return { runs: seen.size, events: this.#events, torn: this.#torn, findings: this.#findings };
  }

  /** What the journal says of each run, or `undefined` when it cannot be read. */
  async #journal(): Promise<JournalTails | undefined> {
    try {
      const { tails, end } = await readTails(this.#folder);
      if (end.cut > 0 && !this.#inUse) await this.#cut(end.segment, end.cutAt, end.cut);
      return tails;
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      this.#corrupt(error);
      return undefined;
    }
  }

  /** A batch that is shorter than it says was cut short by a crash; one that has its length may have been changed since. */
  async #cut(segment: number, at: number, cut: number): Promise<void> {
    const file = join(this.#folder.journal, segmentName(segment));
    const bytes = Buffer.from(await this.#folder.layer.read(file));
    this.#torn = cut;
    if (isCutShort(bytes, at)) return;
    const detail =
      "the last batch is not what its checksum says: the power failed while it was written, or it was changed since; the next start cuts it";
    this.#findings.push({ file, ...placeOfDamage(bytes, at), detail });
  }

  async #index(): Promise<ReadonlyMap<string, IndexEntry>> {
    const entries = new Map<string, IndexEntry>();
    let pieces = 0;
    try {
      pieces = (await openStoreDocument(this.#folder)).data?.index.pieces ?? 0;
    } catch (error) {
      // The journal's check has said so.
      if (!(error instanceof StoreCorrupt)) throw error;
    }
    const index = new IndexDocuments(this.#folder);
    for (let piece = 0; piece < pieces; piece += 1) {
      const read = await index.read(piece);
      if (read === undefined) {
        this.#findings.push({
          file: index.pathOf(piece),
          detail: "is missing or damaged; the next start makes it again",
        });
      }
      for (const entry of read ?? []) entries.set(entry.view.run, entry);
    }
    return entries;
  }

  async #document(
    run: string,
    tails: JournalTails | undefined,
    indexed: IndexEntry | undefined,
  ): Promise<void> {
    const file = this.#fileOf(run);
    let entry = await restoreRun(this.#files, run);
    // A checkpoint may have replaced it between two of its parts.
    if (entry.unreadable !== undefined && this.#inUse) entry = await restoreRun(this.#files, run);
    const { unreadable, covered } = entry;
    if (unreadable !== undefined) {
      this.#findings.push({ file, run, ...unreadable });
      return;
    }
    this.#events += covered.count;
    const older = indexed !== undefined && covered.change < indexed.covered.change;
    const other =
      indexed?.covered.change === covered.change &&
      (covered.count !== indexed.covered.count || covered.tip !== indexed.covered.tip);
    if (older || other) {
      const detail = older
        ? "the document is older than the index"
        : "the document is not the one that the index lists";
      this.#findings.push({ file, run, seq: Math.min(covered.count, indexed.covered.count), detail });
    } else if (!entry.view.erased) await this.#tail(run, tails, covered.count, covered.tip);
    for (const name of await this.#files.damagedKept(run)) {
      this.#findings.push({ file: name, run, detail: "is not what was written" });
    }
  }

  /** What the journal holds of a run has to go on where its document ends. */
  async #tail(run: string, tails: JournalTails | undefined, count: number, tip: string): Promise<void> {
    const tail = tails?.of(run);
    if (tail === undefined || tail.erased) return;
    const file = this.#folder.journal;
    const last = tail.events[count - tail.from - 1];
    if (tail.from > count || (last !== undefined && last.hash !== tip)) {
      const detail = "what the journal holds of this run does not follow what its document holds";
      this.#findings.push({ file, run, seq: Math.min(count, tail.from), detail });
      return;
    }
    try {
      const newer = tail.events.slice(Math.max(0, count - tail.from)).map(({ text }) => text);
      this.#events += (await readChain(run, newer, count, tip)).envelopes.length;
    } catch (error) {
      if (!(error instanceof TamperEvident)) throw error;
      this.#findings.push({ file, run, seq: error.seq, detail: error.message });
    }
  }

  #corrupt({ file, offset, run, seq, detail }: StoreCorrupt): void {
    const place = { ...(run !== undefined && { run }), ...(seq !== undefined && { seq }) };
    this.#findings.push({ file, offset, ...place, detail });
  }

  #fileOf(run: string): string {
    return join(this.#folder.runs, run.slice(0, 2), `${run}.json`);
  }
}
