import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { readSegmentHeader, segmentName, segmentNumber } from "./journal-frame.js";
import { fileSystem, hasCode } from "./write-layer.js";

/** Journal files that are held open, so that they can be read after a server has removed them. */
export class JournalHolds {
  readonly #folder: string;
  readonly #from: number;
  readonly #held = new Map<number, FileHandle>();

  /** @param from the first file that is needed. */
  constructor(folder: string, from: number) {
    this.#folder = folder;
    this.#from = from;
  }

  /** Takes hold of the files that are there now. A file lives for a whole checkpoint at least, so that looking often misses none. */
  async look(): Promise<void> {
    for (const name of await fileSystem.list(this.#folder)) {
      const segment = segmentNumber(name);
      if (segment === undefined || segment < this.#from || this.#held.has(segment)) continue;
      try {
        this.#held.set(segment, await open(join(this.#folder, name), "r"));
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
    }
  }

  /** Whether the newest file leads back to the first that is needed. */
  async isComplete(): Promise<boolean> {
    let wanted: number | undefined = Math.max(...this.#held.keys());
    while (wanted !== undefined && wanted > this.#from) {
      const handle = this.#held.get(wanted);
      if (handle === undefined) return false;
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(4096), position: 0 });
      // A first line that is damaged leads nowhere: the copy will say so.
      const header = readSegmentHeader(buffer.subarray(0, bytesRead))?.header;
      if (header === undefined) return true;
      wanted = header.follows?.segment;
    }
    return wanted !== undefined && this.#held.has(wanted);
  }

  /** Hands over what each file holds by now, oldest first. */
  async copyTo(save: (name: string, bytes: Uint8Array) => Promise<void>): Promise<void> {
    for (const segment of [...this.#held.keys()].sort((a, b) => a - b)) {
      const handle = this.#held.get(segment);
      if (handle !== undefined) await save(segmentName(segment), await readFrom(handle));
    }
  }

  async close(): Promise<void> {
    for (const handle of this.#held.values()) await handle.close();
    this.#held.clear();
  }
}

/** A file from its start, wherever its handle was read before. */
async function readFrom(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(bytes, done, size - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
