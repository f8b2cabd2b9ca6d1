import { StoreUnavailable } from "./errors.js";
import { asError } from "./write-layer.js";

interface Waiting {
  readonly go: () => void;
  readonly refuse: (error: StoreUnavailable) => void;
}

/**
 * How much of logs is in memory because no document holds it yet. Whoever would add to it when that is too much waits until a
 * checkpoint has made room: so a writer that is faster than the documents can be written costs time, not memory.
 */
export class TailBudget {
  readonly #limit: number;
  #used = 0;
  #waiting: Waiting[] = [];
  #relief: Promise<void> | undefined;
  /** Makes room; asked when somebody begins to wait. */
  makeRoom: () => Promise<void> = () => Promise.resolve();

  /** @param limit in characters. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether who comes now has to wait: behind those who do, too. */
  get full(): boolean {
    return this.#used >= this.#limit || this.#waiting.length > 0;
  }

  add(chars: number): void {
    this.#used += chars;
  }

  /** Gives back what a document holds now, and lets those who wait go on, in their order. */
  free(chars: number): void {
    this.#used -= chars;
    while (this.#used < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next.go();
    }
  }

  /**
   * Does work once there is room.
   *
   * @throws {@link StoreUnavailable} when none can be made.
   */
  wait(work: () => Promise<void>): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      const go = (): void => {
        work().then(resolve, reject);
      };
      this.#waiting.push({ go, refuse: reject });
    });
    if (this.#relief === undefined) this.#relief = this.#relieve();
    return done;
  }

  async #relieve(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.makeRoom();
    } catch (cause) {
      const reason = `what is recorded cannot be moved into documents: ${asError(cause).message}`;
      this.refuseWaiting(new StoreUnavailable(reason, { cause }));
    } finally {
      this.#relief = undefined;
    }
  }

  /** There will be no room. */
  refuseWaiting(error: StoreUnavailable): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }
}
