import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Adapter } from "lowdb";
import { hasCode, type WriteLayer } from "./write-layer.js";

/** How a document is written down. */
export interface DocumentCodec<T> {
  /** The bytes in pieces, each made when it is asked for, so that writing a long document blocks nobody. */
  encode(data: T): Iterable<Uint8Array>;
  /** @throws when the bytes are not what {@link encode} makes. */
  decode(bytes: Uint8Array): T;
}

export interface DurableAdapterOptions<T> {
  readonly layer: WriteLayer;
  readonly path: string;
  /** A folder on the same disk for files that have no name yet. */
  readonly scratch: string;
  readonly codec: DocumentCodec<T>;
}

/**
 * lowdb's adapter for a file that survives a power cut: a write replaces the document as a whole or not at all, and
 * resolves when it is durable. A failed write leaves the document as it was, or new, and never a mixture.
 */
export class DurableAdapter<T> implements Adapter<T> {
  readonly #options: DurableAdapterOptions<T>;

  constructor(options: DurableAdapterOptions<T>) {
    this.#options = options;
  }

  /** @returns `null` when there is no such file. */
  async read(): Promise<T | null> {
    const { layer, path, codec } = this.#options;
    try {
      return codec.decode(await layer.read(path));
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null;
      throw error;
    }
  }

  async write(data: T): Promise<void> {
    const { layer, path, scratch, codec } = this.#options;
    const made = join(scratch, `${basename(path)}.${randomUUID()}`);
    try {
      const file = await layer.create(made);
      try {
        for (const bytes of codec.encode(data)) await file.append(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await layer.rename(made, path);
    } catch (error) {
      await layer.unlink(made).catch(() => undefined);
      throw error;
    }
    await layer.syncFolder(dirname(path));
  }
}
