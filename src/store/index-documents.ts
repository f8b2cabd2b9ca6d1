import { join } from "node:path";
import { Low } from "lowdb";
import type { RunView } from "./changes.js";
import { DurableAdapter } from "./durable-adapter.js";
import type { Folder } from "./folder.js";
import { FORMAT } from "./journal-frame.js";
import type { Covered } from "./ledger.js";
import { isSealed, sealedBytes } from "./sealed-text.js";

/** What the index knows of a run: enough to list it and to go on with it without opening its document. */
export interface IndexEntry {
  readonly view: RunView;
  readonly change: number;
  readonly covered: Covered;
  /** The identities that its calls hold, each as a print of 16 bytes: `print@seq`, with `!` when it is settled. */
  readonly held: string;
  readonly unreadable?: { readonly seq: number; readonly detail: string };
}

/** How many runs one index document holds. */
export const PIECE_SIZE = 128;

/** `index/000000.json` and so on: a cache of what the documents say, in bounded pieces. */
export class IndexDocuments {
  readonly #folder: Folder;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** The entries of a piece, each parsed when it is asked for, or `undefined` when the piece is missing or damaged. */
  async read(piece: number): Promise<Iterable<IndexEntry> | undefined> {
    const document = this.#document(piece);
    await document.read();
    return document.data ?? undefined;
  }

  /** Writes a piece; each entry is asked for when its turn comes. */
  async write(piece: number, entries: Iterable<IndexEntry>): Promise<void> {
    const document = this.#document(piece);
    document.data = entries;
    await document.write();
  }

  pathOf(piece: number): string {
    return join(this.#folder.index, `${String(piece).padStart(6, "0")}.json`);
  }

  #document(piece: number): Low<Iterable<IndexEntry> | null> {
    const { layer, scratch } = this.#folder;
    const path = this.pathOf(piece);
    return new Low<Iterable<IndexEntry> | null>(new DurableAdapter({ layer, path, scratch, codec }), null);
  }
}

const codec = {
  encode: (entries: Iterable<IndexEntry> | null) => sealedBytes(textsOf(entries ?? [])),
  decode: (bytes: Uint8Array): Iterable<IndexEntry> | null => {
    const isOurs = isSealed(bytes) && Buffer.from(bytes.subarray(0, HEAD.length)).toString() === HEAD;
    return isOurs ? entriesIn(bytes) : null;
  },
};

const HEAD = `{\n"format": ${FORMAT},\n"runs": [\n`;

/** One a line: a start reads hundreds of thousands of identities, and what it leaves behind on the way stays small. */
function* entriesIn(given: Uint8Array): Generator<IndexEntry> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  for (let from = HEAD.length; bytes[from] === OPENING;) {
    const end = bytes.indexOf("\n", from);
    const isLast = bytes[end - 1] !== COMMA;
    yield JSON.parse(bytes.toString("utf8", from, isLast ? end : end - 1)) as IndexEntry;
    from = end + 1;
  }
}

const OPENING = "{".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

function* textsOf(entries: Iterable<IndexEntry>): Generator<string> {
  yield HEAD;
  let between = "";
  for (const entry of entries) {
    yield between + JSON.stringify(entry);
    between = ",\n";
  }
  yield "\n]";
}
