import { join } from "node:path";
import {
  BATCH_MARK,
  FORMAT,
  readBatch,
  readSegmentHeader,
  segmentName,
  segmentNumber,
  type Batch,
  type SegmentHeader,
} from "./journal-frame.js";
import { placeOfDamage } from "./damaged-batch.js";
import { FormatTooNew, StoreCorrupt } from "./lowdb-errors.js";
import { asError, type WriteLayer } from "./write-layer.js";

/**
 * Where a journal ends for sure: the file, how many bytes of it count, and the number of the next change; and the batch that
 * comes then. That last one is whole, but whoever wrote it may have died before it was durable, and nothing that is read
 * here can tell: it has to be written again before anything is built on it.
 */
export interface JournalEnd {
  readonly segment: number;
  readonly bytes: number;
  readonly next: number;
  readonly last: { readonly bytes: Buffer; readonly changes: number };
  /** The highest file number in the folder: a new file gets a higher one. */
  readonly highest: number;
  /** Bytes behind the end that were cut: a batch that nobody was told about. */
  readonly cut: number;
  /** Where in the file they begin. */
  readonly cutAt: number;
}

/**
 * Reads a journal from one file on, in order, and answers where it ends. A file says which one it follows and how much of
 * that counts, so files that a failed attempt left behind are passed over. An invalid last batch is cut: its pages may have
 * landed in any order. An invalid one before a valid one is no power cut.
 *
 * @param from the first file that is still needed.
 * @throws {@link StoreCorrupt} naming file and offset.
 */
export async function readJournal(
  layer: WriteLayer,
  folder: string,
  from: number,
  visit: (batch: Batch) => void,
): Promise<JournalEnd> {
  const present = (await layer.list(folder)).flatMap((name) => segmentNumber(name) ?? []);
  const highest = Math.max(0, ...present);
  // The very first start makes the first file.
  if (highest === 0 && from === 1)
    return { segment: 0, bytes: 0, next: 1, last: NO_BATCH, highest, ...NO_CUT };
  const chain = await segmentChain(layer, folder, from, highest);
  let next = chain[0]?.header.first ?? 1;
  let end: JournalEnd = { segment: from, bytes: 0, next, last: NO_BATCH, highest, ...NO_CUT };
  for (const [index, { header, file, bytes }] of chain.entries()) {
    if (header.first !== next) {
      throw new StoreCorrupt(file, 0, `starts with change ${header.first}, expected ${next}`);
    }
    const limit = chain[index + 1]?.header.follows?.bytes;
    const stop = readSegment(file, limit === undefined ? bytes : bytes.subarray(0, limit), next, visit);
    if (limit !== undefined && stop.bytes !== limit) {
      throw damaged(file, bytes, stop.bytes, `${limit} bytes were acknowledged`);
    }
    next = stop.next;
    const { start, changes } = stop.last;
    const last = { bytes: bytes.subarray(start, stop.bytes), changes };
    const cut = bytes.length - stop.bytes;
    const cutAt = stop.bytes;
    end = { segment: header.segment, bytes: start, next: next - changes, last, highest, cut, cutAt };
  }
  return end;
}

const NO_CUT = { cut: 0, cutAt: 0 };
const NO_BATCH = { bytes: Buffer.alloc(0), changes: 0 };

/** The files that count, oldest first: the newest names the one before it, and so on. */
async function segmentChain(layer: WriteLayer, folder: string, from: number, highest: number) {
  const chain: { readonly header: SegmentHeader; readonly file: string; readonly bytes: Buffer }[] = [];
  for (let wanted: number | undefined = highest; wanted !== undefined && wanted >= from;) {
    const file = join(folder, segmentName(wanted));
    const bytes = await readBytes(layer, file);
    const header = headerOf(file, bytes, wanted);
    chain.unshift({ header, file, bytes });
    wanted = header.follows?.segment;
  }
  const oldest = chain[0];
  if (oldest?.header.segment !== from) {
    const file = oldest?.file ?? join(folder, segmentName(from));
    throw new StoreCorrupt(file, 0, `the journal does not start with file ${segmentName(from)}`);
  }
  return chain;
}

function headerOf(file: string, bytes: Buffer, segment: number): SegmentHeader {
  const header = readSegmentHeader(bytes)?.header as (SegmentHeader & { journal: number }) | undefined;
  if (header === undefined) throw new StoreCorrupt(file, 0, "the first line is damaged");
  if (header.journal > FORMAT) throw new FormatTooNew(file, header.journal, FORMAT);
  if (header.segment !== segment) throw new StoreCorrupt(file, 0, `says that it is file ${header.segment}`);
  return header;
}

function readSegment(file: string, bytes: Buffer, first: number, visit: (batch: Batch) => void) {
  let next = first;
  let at = readSegmentHeader(bytes)?.end ?? 0;
  let last = { start: at, changes: 0 };
  for (;;) {
    const batch = readBatch(bytes, at);
    if (batch?.first !== next) break;
    visit(batch);
    last = { start: at, changes: batch.changes.length };
    next += batch.changes.length;
    at = batch.end;
  }
  const later = batchAfter(bytes, at);
  if (later !== undefined) {
    throw damaged(file, bytes, at, `a whole one follows at byte ${later}`);
  }
  return { bytes: at, next, last };
}

function damaged(file: string, bytes: Buffer, at: number, why: string): StoreCorrupt {
  const { offset, run, seq } = placeOfDamage(bytes, at);
  const place = { ...(run !== undefined && { run }), ...(seq !== undefined && { seq }) };
  const where = run === undefined ? "" : ` in run ${run}${seq === undefined ? "" : `, seq ${seq}`}`;
  return new StoreCorrupt(file, offset, `a batch is damaged${where}, and ${why}`, place);
}

/** Where a whole batch starts behind an offset that should hold one, if anywhere; the line break before it may be damaged too. */
function batchAfter(bytes: Buffer, offset: number): number | undefined {
  for (let at = bytes.indexOf(BATCH_MARK, offset); at >= 0; at = bytes.indexOf(BATCH_MARK, at + 1)) {
    if (readBatch(bytes, at) !== undefined) return at;
  }
  return undefined;
}

async function readBytes(layer: WriteLayer, file: string): Promise<Buffer> {
  try {
    const bytes = await layer.read(file);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (cause) {
    throw new StoreCorrupt(file, 0, `cannot be read: ${asError(cause).message}`, { cause });
  }
}
