import { join } from "node:path";
import { Low } from "lowdb";
import { DurableAdapter } from "./durable-adapter.js";
import type { Folder } from "./folder.js";
import { FORMAT } from "./journal-frame.js";
import { FormatTooNew, StoreCorrupt } from "./lowdb-errors.js";
import { sealedBytes, unsealText } from "./sealed-text.js";
import { asError } from "./write-layer.js";

/** `store.json`: what a folder is, and where its journal starts. */
export interface StoreDocument {
  readonly format: number;
  /** The first journal file that is still needed; what is older lies in the documents. */
  readonly journal: { readonly from: number };
  /** How many index documents there are. */
  readonly index: { readonly pieces: number };
}

/** The document of a new folder. */
export const NEW_STORE: StoreDocument = { format: FORMAT, journal: { from: 1 }, index: { pieces: 0 } };

/** The document of a folder, or `null` when it has none yet. */
export async function openStoreDocument(folder: Folder): Promise<Low<StoreDocument | null>> {
  const path = join(folder.root, "store.json");
  const document = new Low<StoreDocument | null>(
    new DurableAdapter({ layer: folder.layer, path, scratch: folder.scratch, codec }),
    null,
  );
  try {
    await document.read();
  } catch (cause) {
    throw new StoreCorrupt(path, 0, `cannot be read: ${asError(cause).message}`, { cause });
  }
  const { data } = document;
  if (data !== null && data.format > FORMAT) throw new FormatTooNew(path, data.format, FORMAT);
  return document;
}

const codec = {
  encode: (data: StoreDocument | null) => {
    const members = Object.entries(data ?? {}).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
    return sealedBytes([`{\n${members.join(",\n")}`]);
  },
  decode: (bytes: Uint8Array): StoreDocument => {
    const text = Buffer.from(bytes).toString("utf8");
    const body = unsealText(text);
    // A newer version may write it another way: what it says of its format is all that counts then.
    const data = JSON.parse(body === undefined ? text : `${body}}`) as StoreDocument;
    if (!Number.isInteger(data.format)) throw new TypeError("it does not say its format");
    // Where the journal starts and how many runs there are must not hang on a flipped bit.
    if (body === undefined && data.format <= FORMAT)
      throw new TypeError("its checksum is not that of its content");
    return data;
  },
};
