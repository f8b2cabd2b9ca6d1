import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WriteLayer } from "#salvor/store/index.js";
import { failure, type MemoryDisk, type MemoryFile } from "./memory-disk.js";
import type { Random } from "./random.js";

/** What happens at one operation: it works, it fails with a code, or the machine stops in the middle of it. */
export type Fate = "works" | "stops" | { readonly fails: string };

export interface Operation {
  readonly kind: keyof WriteLayer | "append" | "sync";
  readonly path: string;
  /** The how manieth it is. */
  readonly number: number;
}

/** Kinds that change what a disk holds, or promise that it stays. */
export const WRITES: ReadonlySet<Operation["kind"]> = new Set<Operation["kind"]>([
  "create",
  "append",
  "sync",
  "makeFolder",
  "rename",
  "link",
  "unlink",
  "syncFolder",
]);

/** A layer over a disk in memory whose every operation may fail or be the last. */
export class FaultyLayer implements WriteLayer {
  readonly #disk: MemoryDisk;
  readonly #random: Random;
  readonly #decide: (operation: Operation) => Fate;
  #count = 0;
  stopped = false;

  constructor(disk: MemoryDisk, random: Random, decide: (operation: Operation) => Fate = () => "works") {
    this.#disk = disk;
    this.#random = random;
    this.#decide = decide;
  }

  /** How many operations there were. */
  get count(): number {
    return this.#count;
  }

  async create(path: string) {
    const file = await this.#do("create", path, () => this.#disk.create(path));
    return {
      append: (bytes: Uint8Array) =>
        this.#do(
          "append",
          path,
          () => {
            file.append(bytes);
          },
          () => {
            file.append(bytes.subarray(0, this.#random.below(bytes.length + 1)));
          },
        ),
      sync: () =>
        this.#do(
          "sync",
          path,
          () => {
            file.sync();
          },
          () => {
            this.#failSync(file);
          },
        ),
      close: () => Promise.resolve(),
    };
  }

  read(path: string) {
    return this.#do("read", path, () => Buffer.from(this.#disk.file(path).bytes));
  }

  async stat(path: string) {
    return this.#do("stat", path, () => {
      const file = this.#find(path);
      return file && { size: file.bytes.length, changedAt: file.changedAt };
    });
  }

  list(folder: string) {
    return this.#do("list", folder, () => {
      const entries = [...(this.#disk.folders.get(folder)?.entries.keys() ?? [])];
      const folders = [...this.#disk.folders.keys()].filter((path) => dirname(path) === folder);
      return [...entries, ...folders].map((path) => path.slice(folder.length + 1));
    });
  }

  makeFolder(path: string) {
    return this.#do("makeFolder", path, () => this.#disk.makeFolder(path));
  }

  rename(from: string, to: string) {
    return this.#do("rename", to, () => {
      this.#disk.rename(from, to);
    });
  }

  link(from: string, to: string) {
    return this.#do("link", to, () => {
      this.#disk.link(from, to);
    });
  }

  unlink(path: string) {
    return this.#do("unlink", path, () => {
      this.#disk.unlink(path);
    });
  }

  syncFolder(path: string) {
    return this.#do(
      "syncFolder",
      path,
      () => {
        this.#disk.syncFolder(path);
      },
      () => undefined,
    );
  }

  #find(path: string): MemoryFile | undefined {
    try {
      return this.#disk.file(path);
    } catch {
      return undefined;
    }
  }

  #failSync(file: MemoryFile): void {
    file.failSync(this.#random);
  }

  /** @param half what may have happened when the operation did not work; by default all of it or nothing. */
  async #do<T>(kind: Operation["kind"], path: string, whole: () => T, half?: () => unknown): Promise<T> {
    await nextTurn();
    if (this.stopped) throw failure("STOPPED", path);
    const fate = this.#decide({ kind, path, number: this.#count++ });
    if (fate === "works") {
      // Another process may have stopped the machine while this one waited for its turn.
      return whole();
    }
    if (half !== undefined) half();
    else if (WRITES.has(kind) && this.#random.coin()) attempt(whole);
    if (fate === "stops") this.stopped = true;
    throw failure(fate === "stops" ? "STOPPED" : fate.fails, path);
  }
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // It would have failed anyway.
  }
}
