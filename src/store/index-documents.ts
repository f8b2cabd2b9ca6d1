import { join } from "node:path";
import { Low } from "lowdb";
import type { RunView } from "./changes.js";
import { DurableAdapter } from "./durable-adapter.js";
import type { Folder } from "./folder.js";
import { FORMAT } from "./journal-frame.js";
import type { Covered } from "./ledger.js";
import { isSealed, sealText } from "./sealed-text.js";

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

  /** The entries of a piece, or `undefined` when it is missing or damaged. */
  async read(piece: number): Promise<readonly IndexEntry[] | undefined> {
    const document = this.#document(piece);
    await document.read();
    return document.data ?? undefined;
  }

  async write(piece: number, entries: readonly IndexEntry[]): Promise<void> {
    const document = this.#document(piece);
    document.data = entries;
    await document.write();
  }

  pathOf(piece: number): string {
    return join(this.#folder.index, `${String(piece).padStart(6, "0")}.json`);
  }

  #document(piece: number): Low<readonly IndexEntry[] | null> {
    const { layer, scratch } = this.#folder;
    const path = this.pathOf(piece);
    return new Low<readonly IndexEntry[] | null>(new DurableAdapter({ layer, path, scratch, codec }), null);
  }
}

const codec = {
  encode: (entries: readonly IndexEntry[] | null): Uint8Array => {
    const lines = (entries ?? []).map((entry) => JSON.stringify(entry));
    return Buffer.from(sealText(`{\n"format": ${FORMAT},\n"runs": [\n${lines.join(",\n")}\n]`), "utf8");
  },
  decode: (bytes: Uint8Array): readonly IndexEntry[] | null => {
    if (!isSealed(bytes)) return null;
    const { format, runs } = JSON.parse(Buffer.from(bytes).toString("utf8")) as {
      format: number;
      runs: IndexEntry[];
    };
    return format === FORMAT ? runs : null;
  },
};
