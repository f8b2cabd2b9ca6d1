import { crc32 } from "node:zlib";
import type { AppendChange, Change } from "./changes.js";
import { storedEvent, storedEventJson, type LoggedEvent } from "./stored-event.js";

/** The version of everything that the lowdb store writes. */
export const FORMAT = 1;

/** The first line of a journal file. */
export interface SegmentHeader {
  readonly segment: number;
  /** The number of the first change in this file. */
  readonly first: number;
  /** What comes before this file: another one, and how many bytes of it count. Whatever lies behind them was never acknowledged. */
  readonly follows: { readonly segment: number; readonly bytes: number } | null;
}

/** A batch: the changes that became durable together. */
export interface Batch {
  readonly first: number;
  readonly changes: readonly Change[];
  /** Where the next batch starts. */
  readonly end: number;
}

/** The name of a journal file. */
export function segmentName(segment: number): string {
  return `${String(segment).padStart(6, "0")}.jsonl`;
}

/** The number of a journal file, or `undefined` when the name is no journal file's. */
export function segmentNumber(name: string): number | undefined {
  return /^\d{6,}\.jsonl$/.test(name) ? Number.parseInt(name, 10) : undefined;
}

export function segmentHeaderLine(header: SegmentHeader): string {
  const { segment, first, follows } = header;
  return sealed(JSON.stringify({ journal: FORMAT, segment, first, follows }));
}

/** One change as one line: checksum, run and kind first, so that a reader can tell what it is without parsing it. */
export function changeLine(change: Change): string {
  const { run, kind } = change;
  const head = `{"run":${JSON.stringify(run)},"kind":"${kind}"`;
  switch (change.kind) {
    case "append": {
      const identities = list("held", change.held) + list("freed", change.freed);
      const events = change.events.map(({ text }) => text).join(",");
      return sealed(`${head}${identities},"events":[${events}]}`);
    }
    case "open": {
      const { lease, ownership } = change;
      return sealed(`${head}${members({ lease, ownership })}}`);
    }
    case "refusal":
      return sealed(`${head}${members({ report: change.report })}}`);
    case "erase":
      return sealed(`${head}}`);
  }
}

/** The lines of a batch behind their header. */
export function batchText(first: number, lines: readonly string[]): Buffer {
  const body = Buffer.from(lines.join(""), "utf8");
  return Buffer.concat([Buffer.from(batchHeader(first, lines.length, body), "utf8"), body]);
}

/** The change that a line says, as {@link changeLine} wrote it. */
export function readChange(line: string): Change {
  const parsed = JSON.parse(line) as Change | (Partial<AppendChange> & { readonly kind: "append" });
  if (parsed.kind !== "append") return parsed;
  const { run = "", held = [], freed = [], events = [] } = parsed;
  return { kind: "append", run, held, freed, events: events.map(loggedEvent) };
}

function loggedEvent(parsed: unknown): LoggedEvent {
  const event = storedEvent(parsed);
  return { ...event, text: storedEventJson(event) };
}

/** The header of a journal file, and where its first batch starts; `undefined` when the first line is none. */
export function readSegmentHeader(bytes: Buffer): { header: SegmentHeader; end: number } | undefined {
  const line = lineAt(bytes, 0);
  const parsed = line === undefined ? undefined : unseal(line);
  if (line === undefined || !isObject(parsed) || typeof parsed["journal"] !== "number") return undefined;
  return { header: parsed as unknown as SegmentHeader, end: Buffer.byteLength(line) };
}

/**
 * The batch at an offset, or `undefined` when there is no whole, undamaged one. Its checksum covers every byte, so that the
 * lines in it need no second look.
 */
export function readBatch(bytes: Buffer, offset: number): Batch | undefined {
  const head = lineAt(bytes, offset);
  const match = head === undefined ? null : BATCH.exec(head);
  if (head === undefined || match === null) return undefined;
  const [first, count, length] = match.slice(1, 4).map(Number) as [number, number, number];
  const start = offset + Buffer.byteLength(head);
  const body = bytes.subarray(start, start + length);
  if (body.length !== length || head !== batchHeader(first, count, body)) return undefined;
  try {
    const changes = linesOf(body.toString("utf8")).map(readChange);
    return changes.length === count ? { first, changes, end: start + length } : undefined;
  } catch {
    return undefined;
  }
}

/** Where the lines of the batch at an offset lie, as its header says; `undefined` when there is no header. */
export function batchSpan(
  bytes: Buffer,
  offset: number,
): { readonly start: number; readonly end: number; readonly lines: number } | undefined {
  const head = lineAt(bytes, offset);
  const match = head === undefined ? null : BATCH.exec(head);
  if (head === undefined || match === null) return undefined;
  const start = offset + Buffer.byteLength(head);
  return { start, end: start + Number(match[3]), lines: Number(match[2]) };
}

/**
 * Whether an invalid batch at an offset is what a crash leaves of one: less than its header says, and not merely a header
 * that says too much.
 */
export function isCutShort(bytes: Buffer, offset: number): boolean {
  const span = batchSpan(bytes, offset);
  if (span === undefined) return !bytes.includes(0x0a, offset);
  if (bytes.length >= span.end) return false;
  const lines = linesOf(bytes.toString("utf8", span.start));
  const isWhole = bytes.at(-1) === 0x0a && lines.every((line) => lineIsWhole(`${line}\n`));
  return !(isWhole && lines.length === span.lines);
}

/** Whether a line is to the byte what was written, with its line break. */
export function lineIsWhole(line: string): boolean {
  return unseal(line) !== undefined;
}

/** How a batch starts, whatever it holds: no line of a change can look like it. */
export const BATCH_MARK = '{"batch":';

const BATCH = /^\{"batch":(\d{1,15}),"lines":(\d{1,9}),"bytes":(\d{1,12}),"crc":"[0-9a-f]{8}"\}\n$/;

function batchHeader(first: number, lines: number, body: Buffer): string {
  const head = `${BATCH_MARK}${first},"lines":${lines},"bytes":${body.length}`;
  return `${head},"crc":"${hex(crc32(body, crc32(head)))}"}\n`;
}

function sealed(json: string): string {
  return `{"crc":"${hex(crc32(json))}",${json.slice(1)}\n`;
}

function unseal(line: string): unknown {
  const json = `{${line.slice(SEAL_LENGTH, -1)}`;
  if (sealed(json) !== line) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const SEAL_LENGTH = '{"crc":"00000000",'.length;

function lineAt(bytes: Buffer, offset: number): string | undefined {
  const end = bytes.indexOf(0x0a, offset);
  return end < 0 ? undefined : bytes.toString("utf8", offset, end + 1);
}

/** The lines of a text that ends with a line break. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0, to = text.indexOf("\n"); to >= 0; from = to + 1, to = text.indexOf("\n", from)) {
    lines.push(text.slice(from, to));
  }
  return lines;
}

/** The members of an object as they follow others. */
function members(object: object): string {
  return `,${JSON.stringify(object).slice(1, -1)}`;
}

/** A list as a member that follows others; left out when it is empty. */
function list(name: string, items: readonly unknown[]): string {
  return items.length === 0 ? "" : `,"${name}":${JSON.stringify(items)}`;
}

/** The eight digits of a checksum. A number of that size is slow to write: its bytes are looked up. */
function hex(value: number): string {
  return byteHex(value >>> 24) + byteHex(value >>> 16) + byteHex(value >>> 8) + byteHex(value);
}

function byteHex(value: number): string {
  return BYTES[value & 0xff] ?? "";
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
