import { join } from "node:path";
import { Low } from "lowdb";
import { DurableAdapter } from "./durable-adapter.js";
import type { WaitNotices } from "./event-store.js";
import type { Folder } from "./folder.js";
import { StoreCorrupt } from "./lowdb-errors.js";
import { asError } from "./write-layer.js";

/** `notices.json`: of each run that somebody was told about, the last position at which it waited. */
interface NoticesDocument {
  readonly format: 1;
  readonly told: Record<string, number>;
}

interface Claim {
  readonly seq: number;
  readonly holder: string;
  readonly until: number;
}

const codec = {
  encode: (data: NoticesDocument) => [Buffer.from(`${JSON.stringify(data, null, 1)}\n`)],
  decode: (bytes: Uint8Array): NoticesDocument => {
    const data = JSON.parse(Buffer.from(bytes).toString("utf8")) as {
      readonly format: unknown;
      readonly told: Record<string, number>;
    };
    if (data.format !== 1) throw new TypeError(`its format is ${String(data.format)}, this version writes 1`);
    return { format: 1, told: Object.assign(Object.create(null) as Record<string, number>, data.told) };
  },
};

/** Who was told of which wait, in a folder that one process has to itself: claims live in memory, what was told on disk. */
export class FolderNotices implements WaitNotices {
  readonly #path: string;
  readonly #document: Low<NoticesDocument>;
  readonly #claims = new Map<string, Claim>();
  /** The document is read once, and written by one after the other. */
  #turn: Promise<void>;
  #read = false;

  constructor({ layer, root, scratch }: Folder) {
    this.#path = join(root, "notices.json");
    const adapter = new DurableAdapter({ layer, path: this.#path, scratch, codec });
    this.#document = new Low<NoticesDocument>(adapter, {
      format: 1,
      told: Object.create(null) as Record<string, number>,
    });
    this.#turn = Promise.resolve();
  }

  async claim(run: string, seq: number, holder: string, ttlMs: number): Promise<boolean> {
    return this.#inTurn(() => {
      const claim = this.#claims.get(run);
      const now = performance.now();
      if (seq <= (this.#document.data.told[run] ?? -1)) return false;
      if (claim?.seq === seq && claim.holder !== holder && claim.until > now) return false;
      this.#claims.set(run, { seq, holder, until: now + ttlMs });
      return true;
    });
  }

  async told(run: string, seq: number): Promise<void> {
    await this.#inTurn(async () => {
      const { told } = this.#document.data;
      if (seq <= (told[run] ?? -1)) return;
      const before = told[run];
      told[run] = seq;
      try {
        await this.#document.write();
      } catch (error) {
        if (before === undefined) Reflect.deleteProperty(told, run);
        else told[run] = before;
        throw error;
      }
      this.#claims.delete(run);
    });
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      if (!this.#read) await this.#load();
      return work();
    });
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async #load(): Promise<void> {
    try {
      await this.#document.read();
    } catch (cause) {
      throw new StoreCorrupt(this.#path, 0, `cannot be read: ${asError(cause).message}`, { cause });
    }
    this.#read = true;
  }
}
