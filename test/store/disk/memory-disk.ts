import { dirname } from "node:path";
import type { Random } from "./random.js";

/** A file: what readers see of it, and what a power cut leaves of it. Files only grow, so the second is shorter, or has holes. */
export class MemoryFile {
  bytes: Buffer = Buffer.alloc(0);
  durable: Buffer = Buffer.alloc(0);
  changedAt = 0;

  append(bytes: Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  sync(): void {
    this.durable = Buffer.concat([this.durable, this.bytes.subarray(this.durable.length)]);
  }

  /** A sync that failed: any part of what was not durable is, and the rest counts as written, so that no later sync tries it again. */
  failSync(random: Random): void {
    this.durable = withHoles(this.durable, this.bytes, this.bytes.length, random);
  }

  cutPower(random: Random): void {
    const open = this.bytes.length - this.durable.length;
    const length = this.durable.length + random.below(open + 1);
    this.bytes = this.durable = withHoles(this.durable, this.bytes, length, random);
  }
}

/** As much of a file as a page cache may have written: pages in any order, and zeros where none was. */
function withHoles(durable: Buffer, bytes: Buffer, length: number, random: Random): Buffer {
  const result = Buffer.concat([durable, bytes.subarray(durable.length, length)]);
  for (let page = Math.floor(durable.length / PAGE) * PAGE; page < length; page += PAGE) {
    if (random.coin()) continue;
    result.fill(0, Math.max(page, durable.length), Math.min(page + PAGE, length));
  }
  return result;
}

/** Small, so that even a small batch has several. */
const PAGE = 64;

interface MemoryFolder {
  readonly entries: Map<string, MemoryFile>;
  readonly durable: Map<string, MemoryFile>;
}

/**
 * A disk in memory that knows what is durable: of a file what was synced, of a folder the names it had when it was synced.
 */
export class MemoryDisk {
  readonly folders = new Map<string, MemoryFolder>();
  /** The folders whose own name is durable. */
  readonly #durableFolders = new Set<string>();
  #clock = 0;

  constructor() {
    this.folders.set("/", { entries: new Map(), durable: new Map() });
    this.#durableFolders.add("/");
  }

  folder(path: string): MemoryFolder {
    const folder = this.folders.get(path);
    if (folder === undefined) throw failure("ENOENT", path);
    return folder;
  }

  file(path: string): MemoryFile {
    const file = this.folder(dirname(path)).entries.get(path);
    if (file === undefined) throw failure("ENOENT", path);
    return file;
  }

  create(path: string): MemoryFile {
    const { entries } = this.folder(dirname(path));
    if (entries.has(path)) throw failure("EEXIST", path);
    const file = new MemoryFile();
    file.changedAt = ++this.#clock;
    entries.set(path, file);
    return file;
  }

  makeFolder(path: string): boolean {
    this.folder(dirname(path));
    if (this.folders.has(path)) return false;
    this.folders.set(path, { entries: new Map(), durable: new Map() });
    return true;
  }

  rename(from: string, to: string): void {
    const file = this.file(from);
    this.folder(dirname(to)).entries.set(to, file);
    this.folder(dirname(from)).entries.delete(from);
    file.changedAt = ++this.#clock;
  }

  link(from: string, to: string): void {
    const file = this.file(from);
    const { entries } = this.folder(dirname(to));
    if (entries.has(to)) throw failure("EEXIST", to);
    entries.set(to, file);
  }

  unlink(path: string): void {
    this.file(path);
    this.folder(dirname(path)).entries.delete(path);
  }

  syncFolder(path: string): void {
    const { entries, durable } = this.folder(path);
    durable.clear();
    for (const [name, file] of entries) durable.set(name, file);
    for (const child of this.folders.keys()) if (dirname(child) === path) this.#durableFolders.add(child);
  }

  /** Takes the power away: of everything that was not synced, any part is lost, in any order. */
  cutPower(random: Random): void {
    for (const path of [...this.folders.keys()].sort()) {
      const kept = this.folders.has(dirname(path)) && (this.#durableFolders.has(path) || random.coin());
      if (!kept) this.folders.delete(path);
    }
    const files = new Set<MemoryFile>();
    for (const { entries, durable } of this.folders.values()) {
      for (const name of new Set([...entries.keys(), ...durable.keys()])) {
        const file = (random.coin() ? entries : durable).get(name);
        if (file === undefined) {
          entries.delete(name);
          durable.delete(name);
        } else {
          entries.set(name, file);
          durable.set(name, file);
          files.add(file);
        }
      }
    }
    for (const file of files) file.cutPower(random);
    for (const path of this.folders.keys()) this.#durableFolders.add(path);
  }

  /** Every file and what it holds, sorted by name. */
  *files(): Generator<readonly [string, MemoryFile]> {
    for (const path of [...this.folders.keys()].sort()) yield* this.folder(path).entries;
  }
}

/** A failure as the system reports it. */
export function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
