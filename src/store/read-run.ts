import { CHAIN_START } from "../log/chain.js";
import type { Envelope } from "../log/events.js";
import { readChain } from "./chain-check.js";
import { TamperEvident } from "./errors.js";
import { folderOf, type Folder } from "./folder.js";
import { readTails } from "./journal-tails.js";
import { readOnly } from "./read-only-layer.js";
import { readDocuments } from "./restore-run.js";
import { RunFiles } from "./run-files.js";
import { fileSystem } from "./write-layer.js";

/** How often a run is read again that a server was moving from the journal into its document meanwhile. */
const ATTEMPTS = 3;

/** A run as a data folder holds it. */
export interface FoundRun {
  readonly erased: boolean;
  readonly log: readonly Envelope[];
}

/**
 * Reads one run from a data folder that a server may be working on, every hash checked; `undefined` when it is not there.
 * Only reads.
 *
 * @throws {@link TamperEvident} when the log is not what was recorded, {@link StoreCorrupt} when the journal is damaged.
 */
export async function readRunOf(dir: string, run: string): Promise<FoundRun | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(folderOf(readOnly(fileSystem), dir), run);
    } catch (error) {
      if (!(error instanceof TamperEvident) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The journal first: what a checkpoint moves meanwhile is in the document then. */
async function readOnce(folder: Folder, run: string): Promise<FoundRun | undefined> {
  const { tails } = await readTails(folder);
  const files = new RunFiles(folder, () => Promise.reject(new Error("this one only reads")));
  const tail = tails.of(run);
  const isStored = (await files.stat(run)) !== undefined;
  if (tail === undefined && !isStored) return undefined;
  const document = isStored ? await files.read(run) : undefined;
  if (tail?.erased === true || (document?.intact === true && document.header.erased !== undefined)) {
    return { erased: true, log: [] };
  }
  const { envelopes, hashes } =
    document === undefined ? { envelopes: [], hashes: [] } : await readDocuments(files, run, document);
  const from = tail?.from ?? envelopes.length;
  const missing = envelopes.length - from;
  if (missing < 0) throw new TamperEvident(run, envelopes.length, "the journal goes on behind a gap");
  const newer = (tail?.events ?? []).slice(missing).map(({ text }) => text);
  const read = await readChain(run, newer, envelopes.length, hashes.at(-1) ?? CHAIN_START);
  return { erased: false, log: [...envelopes, ...read.envelopes] };
}
