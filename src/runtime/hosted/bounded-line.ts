/** Nobody is let in any more: as many work as may, and as many wait as may. */
export class LineFull extends Error {
  override readonly name = "LineFull";
  readonly code = "line_full";
}

/** A place among those who work, or in the line of those who wait for one. */
export interface Place {
  /** Resolves when it is this one's turn; `undefined` when it is already. Rejects when the line is closed before. */
  readonly turn: Promise<void> | undefined;
  /** Gives the place to whoever is next. Idempotent. */
  leave(): void;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Lets at most so many work at once; the others wait in a line, in the order in which they came, and not too many of them. */
export class BoundedLine {
  #working = 0;
  readonly #waiting = new Set<Waiting>();
  #closed: { readonly reason: unknown } | undefined;

  /**
   * @param width how many work at once.
   * @param length how many may wait.
   */
  constructor(
    readonly width: number,
    readonly length: number,
  ) {}

  /**
   * @throws {@link LineFull} when nobody else may wait.
   * @throws the reason that the line was closed with.
   */
  enter(): Place {
    if (this.#closed !== undefined) throw this.#closed.reason;
    if (this.#working < this.width) {
      this.#working += 1;
      return {
        turn: undefined,
        leave: once(() => {
          this.#next();
        }),
      };
    }
    if (this.#waiting.size >= this.length) {
      throw new LineFull(`${this.width} are at work and ${this.length} wait already`);
    }
    return this.#wait();
  }

  /** Lets nobody in any more, and refuses everybody who waits. Who works is left to finish. */
  close(reason: unknown): void {
    this.#closed ??= { reason };
    for (const { refuse } of this.#waiting) refuse(reason);
    this.#waiting.clear();
  }

  #wait(): Place {
    let works = false;
    let waiting: Waiting | undefined;
    const turn = new Promise<void>((resolve, refuse) => {
      const start = (): void => {
        works = true;
        resolve();
      };
      waiting = { start, refuse };
      this.#waiting.add(waiting);
    });
    // Whoever waits is told; a refusal that nobody waits for any more concerns nobody.
    turn.catch(() => undefined);
    const leave = once(() => {
      if (waiting !== undefined) this.#waiting.delete(waiting);
      if (works) this.#next();
    });
    return { turn, leave };
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#working -= 1;
    else {
      this.#waiting.delete(next);
      next.start();
    }
  }
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
