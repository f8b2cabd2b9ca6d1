import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { StoreUnavailable } from "./errors.js";
import { FolderLocked } from "./lowdb-errors.js";
import type { ProcessIdentity, ProcessTable } from "./process-identity.js";
import { hasCode, type WriteLayer } from "./write-layer.js";

/** Who has a folder, as its lock says. */
export interface Holder extends ProcessIdentity {
  readonly nonce: string;
}

export interface LockOptions {
  readonly layer: WriteLayer;
  readonly processes: ProcessTable;
  /** Takes the folder over even from a holder that may still run, such as one on another host. */
  readonly force?: boolean;
}

/**
 * One process per folder. The lock names its holder; one whose holder has ended is taken over. Taking over a lock takes
 * another lock first, named after the holder that is replaced: whoever has that one may replace this one, and nobody else.
 * So of any number that race for a stale lock, one wins.
 */
export class FolderLock {
  readonly #layer: WriteLayer;
  readonly #folder: string;
  readonly #holder: Holder;
  #heldAt = Number.NEGATIVE_INFINITY;

  private constructor(layer: WriteLayer, folder: string, holder: Holder) {
    this.#layer = layer;
    this.#folder = folder;
    this.#holder = holder;
  }

  /** @throws {@link FolderLocked} naming the holder. */
  static async take(folder: string, { layer, processes, force = false }: LockOptions): Promise<FolderLock> {
    const lock = new FolderLock(layer, folder, { ...(await processes.self()), nonce: randomUUID() });
    await lock.#withFileOf(lock.#holder, async (own) => {
      await lock.#takeName("lock", own, processes, force);
      await layer.syncFolder(folder);
    });
    return lock;
  }

  /**
   * Why this process may not write any more, when another one has taken the folder over.
   *
   * @param maxAgeMs an answer this old is good enough.
   */
  async takenOver(maxAgeMs = 0): Promise<StoreUnavailable | undefined> {
    if (performance.now() - this.#heldAt < maxAgeMs) return undefined;
    const asked = performance.now();
    const now = await readHolder(this.#layer, join(this.#folder, "lock"));
    if (now?.nonce === this.#holder.nonce) {
      this.#heldAt = asked;
      return undefined;
    }
    const by = now === undefined ? "it is gone" : `process ${now.pid} on host ${now.host} holds it now`;
    return new StoreUnavailable(
      `the lock of ${this.#folder} was taken over (${by}): this process writes no more`,
    );
  }

  /** Gives the folder free, unless somebody has taken it over. */
  async release(): Promise<void> {
    const name = join(this.#folder, "lock");
    const right = join(this.#folder, `lock.over.${this.#holder.nonce}`);
    // Another nonce than the lock's: what is named after a holder must not be held by that same one.
    await this.#withFileOf({ ...this.#holder, nonce: randomUUID() }, async (own) => {
      try {
        await this.#layer.link(own, right);
      } catch (error) {
        // Somebody is taking the folder over right now: it is theirs to replace.
        if (hasCode(error, "EEXIST")) return;
        throw error;
      }
      try {
        if ((await readHolder(this.#layer, name))?.nonce !== this.#holder.nonce) return;
        await this.#layer.unlink(name);
        await this.#layer.syncFolder(this.#folder);
      } finally {
        await this.#layer.unlink(right);
      }
    });
  }

  /** A whole file that names a holder: other names are given to it, so that nobody ever reads half of one. */
  async #withFileOf(holder: Holder, use: (own: string) => Promise<void>): Promise<void> {
    const own = join(this.#folder, `lock.new.${randomUUID()}`);
    const file = await this.#layer.create(own);
    try {
      await file.append(Buffer.from(`${JSON.stringify(holder)}\n`, "utf8"));
      await file.sync();
      await use(own);
    } finally {
      await file.close();
      await this.#layer.unlink(own).catch(() => undefined);
    }
  }

  async #takeName(name: string, own: string, processes: ProcessTable, force: boolean): Promise<void> {
    const path = join(this.#folder, name);
    for (;;) {
      try {
        await this.#layer.link(own, path);
        return;
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
      }
      const holder = await readHolder(this.#layer, path);
      // It was given free, or taken over, between the two looks.
      if (holder === undefined) continue;
      if (!force) await this.#refuseLiving(holder, processes);
      const right = `lock.over.${holder.nonce}`;
      await this.#takeName(right, own, processes, false);
      try {
        if ((await readHolder(this.#layer, path))?.nonce !== holder.nonce) continue;
        const copy = `${own}.${randomUUID()}`;
        await this.#layer.link(own, copy);
        await this.#layer.rename(copy, path);
        return;
      } finally {
        await this.#layer.unlink(join(this.#folder, right));
      }
    }
  }

  async #refuseLiving(holder: Holder, processes: ProcessTable): Promise<void> {
    const alive = await processes.isAlive(holder);
    if (alive === false) return;
    const who = `process ${holder.pid} on host ${holder.host}`;
    throw new FolderLocked(
      alive === true
        ? `${this.#folder} is used by ${who}: one server per folder. Stop that one first, or point --data at another folder`
        : `${this.#folder} is locked by ${who}, which cannot be seen from here. If that server is stopped for sure, start with --force`,
    );
  }
}

/**
 * Who a lock names, or `undefined` when there is no such file.
 *
 * @throws {@link FolderLocked} when it is damaged.
 */
export async function readHolder(layer: WriteLayer, path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = Buffer.from(await layer.read(path)).toString("utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    const holder = JSON.parse(text) as Partial<Holder>;
    if (typeof holder.nonce === "string" && /^[0-9a-f-]{36}$/.test(holder.nonce)) return holder as Holder;
  } catch {
    // Said below.
  }
  throw new FolderLocked(
    `${path} is damaged. If no server uses the folder, remove that file and start again`,
  );
}
