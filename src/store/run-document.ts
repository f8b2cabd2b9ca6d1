import { CHAIN_START } from "../log/chain.js";
import type { HeldIdentity } from "./changes.js";
import type { RefusedReport, RunOwnership } from "./event-store.js";
import { FORMAT } from "./journal-frame.js";
import { hashIn } from "./stored-event.js";
import { isSealed, sealedBytes } from "./sealed-text.js";

/** A part of a long run that has its own document and is never written again. */
export interface SealedPart {
  readonly count: number;
  /** The hash of its last event. */
  readonly tip: string;
}

/** What stands in a run's document before its events. */
export interface RunHeader {
  readonly format: number;
  readonly run: string;
  /** The last change of the run that this document holds. */
  readonly change: number;
  readonly ownership?: RunOwnership;
  readonly lease?: string;
  readonly refused_reports: readonly RefusedReport[];
  readonly identities: readonly HeldIdentity[];
  /** The same as prints, where the document that had the texts is damaged. */
  readonly held?: string;
  /** Where the events before these lie. */
  readonly sealed: readonly SealedPart[];
  /** The hashes of what was erased. */
  readonly erased?: readonly string[];
}

/** `runs/3f/<run>.json`: a run, or what is left of it. The events are their JSON texts, one a line. */
export interface RunDocument {
  readonly header: RunHeader;
  readonly events: readonly string[];
  /** Whether the file is to the byte what was written. */
  readonly intact: boolean;
}

/** Reads and writes a run's documents. Reading never throws: what cannot be made sense of is not intact. */
export const runCodec = {
  encode: (document: RunDocument) => sealedBytes(textsOf(document)),
  decode: (bytes: Uint8Array): RunDocument => {
    const text = Buffer.from(bytes).toString("utf8");
    return isSealed(bytes) ? { ...decodeOwn(text), intact: true } : decodeDamaged(text);
  },
};

function* textsOf({ header, events }: RunDocument): Generator<string> {
  let between = "{\n";
  for (const [key, value] of Object.entries(header)) {
    yield `${between}${JSON.stringify(key)}: `;
    if (Array.isArray(value)) yield* list(value);
    else yield JSON.stringify(value);
    between = ",\n";
  }
  yield EVENTS;
  for (const [at, event] of events.entries()) yield at === 0 ? event : `,\n${event}`;
  yield "\n]";
}

/** An array as JSON, item by item: a long run holds many identities. */
function* list(items: readonly unknown[]): Generator<string> {
  yield "[";
  for (const [at, item] of items.entries()) yield `${at === 0 ? "" : ","}${JSON.stringify(item)}`;
  yield "]";
}

function decodeOwn(text: string): Pick<RunDocument, "header" | "events"> {
  const at = text.indexOf(EVENTS);
  const end = text.lastIndexOf("\n],\n");
  const listed = at < 0 || end <= at ? "" : text.slice(at + EVENTS.length, end);
  return {
    header: parseHeader(at < 0 ? "" : `${text.slice(0, at)}\n}`) ?? EMPTY_HEADER,
    events: listed === "" ? [] : listed.split(",\n"),
  };
}

/** As much as can be made out: it decides nothing but which position is named, and which identities stay held. */
function decodeDamaged(text: string): RunDocument {
  const own = decodeOwn(text);
  if (own.events.length > 0) return { ...own, intact: false };
  try {
    // Somebody may have written it anew, in another layout.
    const { events, ...header } = JSON.parse(text) as RunHeader & { events: readonly unknown[] };
    const texts = events.map((event) => JSON.stringify(event));
    return { header: { ...EMPTY_HEADER, ...header }, events: texts, intact: false };
  } catch {
    return { ...own, intact: false };
  }
}

const EVENTS = ',\n"events": [\n';

const EMPTY_HEADER: RunHeader = {
  format: FORMAT,
  run: "",
  change: 0,
  refused_reports: [],
  identities: [],
  sealed: [],
};

/** What a run has before its first document. */
export const NO_DOCUMENT: RunDocument = { header: EMPTY_HEADER, events: [], intact: true };

/** How many events lie in sealed parts, and the hash that the next one follows. */
export function sealedEnd(sealed: readonly SealedPart[]): { readonly count: number; readonly tip: string } {
  return {
    count: sealed.reduce((sum, { count }) => sum + count, 0),
    tip: sealed.at(-1)?.tip ?? CHAIN_START,
  };
}

/** What is known of a run besides its document: what that should hold at least, and the newer events. */
export interface Expected {
  readonly view: { readonly run: string };
  readonly change: number;
  readonly covered: { readonly change: number; readonly count: number; readonly tip: string };
  readonly tail: readonly string[];
}

/**
 * How many of the newer events of a run its document holds already: none, unless a checkpoint was cut short behind it. One
 * hash decides, because it stands for every event before it.
 *
 * @returns `undefined` when the document is not one that was written for this run.
 */
export function overlapOf(
  { header, events, intact }: RunDocument,
  { view, change, covered, tail }: Expected,
): number | undefined {
  const before = sealedEnd(header.sealed);
  const overlap = before.count + events.length - covered.count;
  const last = events.at(-1);
  const tip = last === undefined ? before.tip : hashIn(last);
  const expected = overlap === 0 ? covered.tip : hashIn(tail[overlap - 1] ?? "");
  const isOurs = header.run === view.run || header.change === 0;
  const fits = header.change >= covered.change && header.change <= change && overlap >= 0;
  return intact && isOurs && fits && tip === expected ? overlap : undefined;
}

function parseHeader(text: string): RunHeader | undefined {
  try {
    return { ...EMPTY_HEADER, ...(JSON.parse(text) as RunHeader) };
  } catch {
    return undefined;
  }
}
