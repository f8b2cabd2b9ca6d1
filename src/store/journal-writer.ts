import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreUnavailable } from "./errors.js";
import { batchText, segmentHeaderLine, segmentName, type SegmentHeader } from "./journal-frame.js";
import type { JournalEnd } from "./journal-reader.js";
import { asError, type AppendFile, type WriteLayer } from "./write-layer.js";

/** A line on its way, and what happens when it is durable or never will be. */
export interface JournalEntry {
  readonly line: string;
  /** Called in the order of the journal, with the number of the change; must not throw. */
  readonly commit: (change: number) => void;
  /** Called after that, maybe some turns of the event loop later; must not throw. */
  readonly answer: () => void;
  readonly fail: (error: StoreUnavailable) => void;
}

export interface JournalWriterOptions {
  readonly layer: WriteLayer;
  /** The journal's folder. */
  readonly folder: string;
  /** Where new files get their final name from: beside the journal, on the same disk. */
  readonly scratch: string;
  /** Asked while a batch is being written: says why this process may not write any more, once that is so. */
  readonly takenOver: () => Promise<StoreUnavailable | undefined>;
}

/** A batch stops growing here, so that one answer does not wait for megabytes of others. */
const MAX_BATCH_CHARS = 4 * 1024 * 1024;

/** So many callers are answered in one turn of the event loop: about a millisecond's worth of what they do next. */
const ANSWERS_A_TURN = 32;

/**
 * The one writer of a journal. Lines that arrive while a batch is being synced become the next batch: one sync for all of
 * them. After any failure the fate of the bytes is unknown, and a second sync of the same file would prove nothing: the
 * journal stays broken until {@link roll} has durably started a new file that says how much of the old one counts.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #file: AppendFile | undefined;
  #segment: number;
  #highest: number;
  #bytes: number;
  #next: number;
  #broken: StoreUnavailable | undefined;
  #gone: StoreUnavailable | undefined;
  /** Lines, and the work that stands between them. */
  #queue: (JournalEntry | (() => Promise<void>))[] = [];
  #running = false;
  #lastBatch = 0;
  /** How long the last batch took to become durable, in milliseconds. */
  #lastSync = 0;
  /** Whose lines are durable, and who are yet to be told. */
  #answers: JournalEntry[] = [];
  /** What a new file starts with: the batch whose fate the reader could not know. */
  #carried: JournalEnd["last"];

  /** A writer that goes on where a journal ends. It is broken until the first {@link roll}. */
  constructor(options: JournalWriterOptions, end: JournalEnd) {
    this.#options = options;
    this.#segment = end.segment;
    this.#highest = end.highest;
    this.#bytes = end.bytes;
    this.#next = end.next;
    this.#carried = end.last;
    this.#broken = new StoreUnavailable("the journal is not open yet");
  }

  /** Why nothing can be written right now, if so. */
  get broken(): StoreUnavailable | undefined {
    return this.#gone ?? this.#broken;
  }

  /** Whether trying {@link roll} again can help. */
  get repairable(): boolean {
    return this.#gone === undefined;
  }

  /** The file that is being written. */
  get segment(): number {
    return this.#segment;
  }

  /** How many bytes of the current file count. */
  get bytes(): number {
    return this.#bytes;
  }

  submit(entry: JournalEntry): void {
    this.#queue.push(entry);
    this.#start();
  }

  /**
   * Goes on in a new file, between two batches. What was submitted before is durable or has failed by then.
   *
   * @returns the number of the new file.
   * @throws {@link StoreUnavailable} when that is not possible; the old file is still good if it was and if nothing of the new one can be on disk.
   */
  roll(): Promise<number> {
    return this.#turn(() => this.#roll());
  }

  /** Resolves when everything that was submitted is durable or has failed. */
  settled(): Promise<void> {
    return this.#turn(() => Promise.resolve());
  }

  /** Lets go of the file. Nothing may be submitted any more. */
  async close(): Promise<void> {
    await this.settled();
    this.#gone ??= new StoreUnavailable("the store is closed");
    await this.#letGo();
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(() => work().then(resolve, reject));
      this.#start();
    });
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#run().catch((cause: unknown) => {
      // What is in memory may no longer be what is on disk: only a restart can tell.
      this.#gone = unavailable("the store has to be opened again", cause);
      this.#running = false;
      this.#failAll([], this.#gone);
      if (this.#queue.length > 0) this.#start();
    });
  }

  async #run(): Promise<void> {
    // What is submitted in the same turn of the event loop belongs to the first batch.
    await Promise.resolve();
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      if (typeof head === "object") await this.#writeBatch();
      else {
        this.#queue.shift();
        await head();
      }
    }
    this.#running = false;
  }

  async #writeBatch(): Promise<void> {
    await this.#linger();
    const batch = this.#take();
    const text = batchText(
      this.#next,
      batch.map(({ line }) => line),
    );
    const begun = performance.now();
    const failed = this.broken ?? (await this.#persist(text));
    if (failed !== undefined) {
      this.#failAll(batch, failed);
      return;
    }
    this.#bytes += text.length;
    this.#lastBatch = batch.length;
    this.#lastSync = performance.now() - begun;
    for (const { commit } of batch) commit(this.#next++);
    this.#answer(batch);
  }

  /** Tells callers in runs, so that what they do next holds up neither the next batch nor anybody else. */
  #answer(batch: readonly JournalEntry[]): void {
    const isUnderWay = this.#answers.length > 0;
    this.#answers = this.#answers.concat(batch);
    if (!isUnderWay) this.#answerSome();
  }

  readonly #answerSome = (): void => {
    const some = this.#answers.splice(0, ANSWERS_A_TURN);
    if (this.#answers.length > 0) setImmediate(this.#answerSome);
    for (const { answer } of some) answer();
  };

  async #persist(text: Buffer): Promise<StoreUnavailable | undefined> {
    const ours = this.#checkOwner();
    try {
      if (this.#file === undefined) throw new Error("no journal file is open");
      await this.#file.append(text);
      if (this.#file.durable !== true) await this.#file.sync();
    } catch (cause) {
      this.#broken = unavailable("the journal cannot be written", cause);
    }
    await ours;
    return this.broken;
  }

  async #checkOwner(): Promise<void> {
    try {
      this.#gone ??= await this.#options.takenOver();
    } catch (cause) {
      this.#broken = unavailable("the lock of the folder cannot be read", cause);
    }
  }

  /** Whatever was queued meanwhile was judged on top of the batch that failed, so it cannot stand without it. */
  #failAll(batch: readonly JournalEntry[], error: StoreUnavailable): void {
    const queued = this.#queue;
    this.#queue = queued.filter((item) => typeof item === "function");
    for (const item of [...batch, ...queued]) if (typeof item === "object") item.fail(error);
  }

  /**
   * Callers who were just answered come back within a turn or two: waiting for them halves the number of syncs. What takes
   * longer than a sync is better done during one.
   */
  async #linger(): Promise<void> {
    const end = performance.now() + this.#lastSync;
    let seen = 0;
    while (this.#queue.length < this.#lastBatch && performance.now() < end) {
      if (this.#queue.length === seen && this.#answers.length === 0) return;
      seen = this.#queue.length;
      await nextTurn();
    }
  }

  #take(): JournalEntry[] {
    const batch: JournalEntry[] = [];
    let chars = 0;
    for (const item of this.#queue) {
      if (typeof item === "function") break;
      chars += item.line.length;
      if (batch.length > 0 && chars > MAX_BATCH_CHARS) break;
      batch.push(item);
    }
    this.#queue.splice(0, batch.length);
    return batch;
  }

  async #roll(): Promise<number> {
    await this.#checkOwner();
    if (this.#gone !== undefined) throw this.#gone;
    const { layer, folder, scratch } = this.#options;
    const segment = ++this.#highest;
    const header: SegmentHeader = {
      segment,
      first: this.#next,
      follows: this.#segment === 0 ? null : { segment: this.#segment, bytes: this.#bytes },
    };
    const start = Buffer.concat([Buffer.from(segmentHeaderLine(header), "utf8"), this.#carried.bytes]);
    const made = join(scratch, segmentName(segment));
    let file: AppendFile | undefined;
    try {
      file = await layer.create(made, true);
      await file.append(start);
      await file.sync();
    } catch (cause) {
      await file?.close().catch(ignore);
      await layer.unlink(made).catch(ignore);
      throw unavailable("a new journal file cannot be written", cause);
    }
    try {
      await layer.rename(made, join(folder, segmentName(segment)));
      await layer.syncFolder(folder);
    } catch (cause) {
      // The new file may be there after a restart, and it says where the old one ends: nothing may be added to that.
      this.#broken = unavailable("a new journal file cannot be put in place", cause);
      await file.close().catch(ignore);
      throw this.#broken;
    }
    await this.#letGo();
    this.#file = file;
    this.#segment = segment;
    this.#bytes = start.length;
    this.#next += this.#carried.changes;
    this.#carried = { bytes: Buffer.alloc(0), changes: 0 };
    this.#broken = undefined;
    return segment;
  }

  async #letGo(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(ignore);
  }
}

function unavailable(what: string, cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable(`${what}: ${asError(cause).message}`, { cause });
}

/** For what is given up anyway. */
function ignore(): void {
  // A file that cannot be closed or removed changes nothing: its name and content do not count.
}
