import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Envelope } from "../log/events.js";
import { readChain } from "./chain-check.js";
import type { AppendChange } from "./changes.js";
import { TamperEvident } from "./errors.js";
import type { Covered, Ledger, LedgerRun } from "./ledger.js";
import { overlapOf, sealedEnd, type RunHeader, type SealedPart } from "./run-document.js";
import type { RunFiles } from "./run-files.js";
import { deepFreeze } from "../contract/deep-freeze.js";
import { storedEvent } from "./stored-event.js";

/** Checked events in memory, and how many bytes they are on disk. */
interface Loaded {
  readonly envelopes: readonly Envelope[];
  readonly bytes: number;
  /** What they were read from: they count as long as that is the newest. */
  readonly source?: number | Covered;
  readonly header?: RunHeader;
}

/** What was appended to a run last, and where it begins. */
interface Recent {
  readonly first: number;
  readonly envelopes: readonly Envelope[];
  readonly bytes: number;
}

/** How many bytes of what was appended last are kept: whoever goes on with a run reads that, and nothing before it. */
const RECENT_BYTES = 8 * 1024 * 1024;

/** Reads logs: from the documents what lies there, from memory what does not yet. What was read and checked is kept, up to a bound. */
export class LogReader {
  readonly #ledger: Ledger;
  readonly #files: RunFiles;
  readonly #cache: LRUCache<string, Loaded>;
  readonly #recent = new LRUCache<string, Recent>({
    maxSize: RECENT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 256,
  });

  constructor(ledger: Ledger, files: RunFiles, cacheBytes: number) {
    this.#ledger = ledger;
    this.#files = files;
    this.#cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ bytes }) => bytes + 256 });
  }

  /**
   * A run's durable events from a position up to, and without, another, as they are at the time of the call.
   *
   * @throws {@link TamperEvident} when they are not what was recorded; the run counts as unreadable from then on.
   */
  async read(run: LedgerRun, from: number, to: number): Promise<readonly Envelope[]> {
    if (run.unreadable !== undefined) {
      throw new TamperEvident(run.view.run, run.unreadable.seq, run.unreadable.detail);
    }
    if (from >= run.view.state.nextSeq) return [];
    const recent = this.#recentOf(run);
    if (recent !== undefined && from >= recent.first) {
      return recent.envelopes.slice(from - recent.first, to - recent.first);
    }
    const { covered } = run;
    const texts = run.tail.slice();
    try {
      const stored = from < covered.count ? await this.#stored(run, covered, from, to) : [];
      const first = Math.max(0, from - covered.count);
      const newer = to > covered.count ? await this.#newer(run, covered, texts, first) : [];
      return run.view.erased ? this.#erasedMeanwhile(run) : [...stored, ...newer].slice(0, to - from);
    } catch (error) {
      if (run.view.erased) return this.#erasedMeanwhile(run);
      // A checkpoint has replaced the document meanwhile: what was read was neither the old nor the new one.
      if (run.covered !== covered) return this.read(run, from, to);
      if (error instanceof TamperEvident) this.#ledger.distrust(run, error.seq, error.message);
      throw error;
    }
  }

  /** What was appended last, if it is known and is where the log ends. */
  #recentOf({ view }: LedgerRun): Recent | undefined {
    const recent = this.#recent.get(view.run);
    if (recent === undefined) return undefined;
    return recent.first + recent.envelopes.length === view.state.nextSeq ? recent : undefined;
  }

  #erasedMeanwhile(run: LedgerRun): readonly Envelope[] {
    this.forget(run.view.run);
    return [];
  }

  /** Keeps what has just been appended to a run, deeply frozen, for those who go on with it. */
  took({ run, events }: AppendChange, bytes: number): void {
    const envelopes = events.map(({ envelope }) => envelope);
    this.#recent.set(run, { first: envelopes[0]?.seq ?? 0, envelopes, bytes });
  }

  /** Forgets what is kept of a run. */
  forget(run: string): void {
    this.#recent.delete(run);
    for (const key of [...this.#cache.keys()]) if (key.startsWith(run)) this.#cache.delete(key);
  }

  /** The events of the documents, from a position to another or to what they are known to cover. */
  async #stored(run: LedgerRun, covered: Covered, from: number, to: number): Promise<readonly Envelope[]> {
    const head = await this.#head(run, covered);
    const sealed = head.header?.sealed ?? [];
    const last = Math.min(to, covered.count);
    const found: Envelope[] = [];
    let start = 0;
    for (const [index, { count }] of sealed.entries()) {
      if (start + count > from && start < last) {
        const part = await this.#part(run.view.run, index, sealed);
        found.push(...part.slice(Math.max(0, from - start), last - start));
      }
      start += count;
    }
    // The document may be newer than what it is known to cover.
    if (start < last) found.push(...head.envelopes.slice(Math.max(0, from - start), last - start));
    return found;
  }

  async #head(run: LedgerRun, covered: Covered): Promise<Loaded> {
    const id = run.view.run;
    const kept = this.#cache.get(id);
    if (kept?.source === covered.change) return kept;
    const document = await this.#files.read(id);
    const { header, events } = document;
    const { count, tip } = sealedEnd(header.sealed);
    const { envelopes } = await readChain(id, events, count, tip);
    if (overlapOf(document, run) === undefined) {
      const seq = Math.min(covered.count, count + envelopes.length);
      throw new TamperEvident(id, seq, "its document is not the one that was written");
    }
    const loaded = { envelopes, header, source: header.change, bytes: sizeOf(events) };
    this.#cache.set(id, loaded);
    return loaded;
  }

  async #part(run: string, index: number, sealed: readonly SealedPart[]): Promise<readonly Envelope[]> {
    const key = `${run}.${index}`;
    const kept = this.#cache.get(key);
    if (kept !== undefined) return kept.envelopes;
    const before = sealedEnd(sealed.slice(0, index));
    const { events, intact } = await this.#files.readPart(run, index);
    const { envelopes, tip } = await readChain(run, events, before.count, before.tip);
    const part = sealed[index];
    if (envelopes.length !== part?.count || tip !== part.tip || !intact) {
      throw new TamperEvident(
        run,
        before.count + envelopes.length,
        `part ${index} of its log is not what was written`,
      );
    }
    this.#cache.set(key, { envelopes, bytes: sizeOf(events) });
    return envelopes;
  }

  /** The events that no document holds, from an index on. */
  async #newer(run: LedgerRun, covered: Covered, texts: readonly string[], from: number) {
    const key = `${run.view.run}~`;
    if (!run.tailChecked) {
      const { envelopes } = await readChain(run.view.run, texts, covered.count, covered.tip);
      if (run.covered === covered) run.tailChecked = true;
      this.#cache.set(key, { envelopes, source: covered, bytes: sizeOf(texts) });
      return envelopes.slice(from);
    }
    const kept = this.#cache.get(key);
    const known = kept?.source === covered ? kept.envelopes : [];
    if (from > known.length) return parseAll(texts.slice(from));
    if (known.length >= texts.length) return known.slice(from, texts.length);
    const envelopes = [...known, ...(await parseAll(texts.slice(known.length)))];
    this.#cache.set(key, { envelopes, source: covered, bytes: sizeOf(texts) });
    return envelopes.slice(from);
  }
}

async function parseAll(texts: readonly string[]): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  for (const text of texts) {
    envelopes.push(deepFreeze(storedEvent(JSON.parse(text)).envelope));
    if (envelopes.length % SLICE === 0) await nextTurn();
  }
  return envelopes;
}

/** How many events are parsed before others get a turn. */
const SLICE = 1000;

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
