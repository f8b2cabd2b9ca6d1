import type { WaitNotices } from "../../store/event-store.js";

/** Who was told, for a store that does not keep it: known to this process only. */
export class MemoryNotices implements WaitNotices {
  readonly #told = new Map<string, number>();

  claim(run: string, seq: number): Promise<boolean> {
    return Promise.resolve(seq > (this.#told.get(run) ?? -1));
  }

  told(run: string, seq: number): Promise<void> {
    this.#told.set(run, seq);
    return Promise.resolve();
  }
}
