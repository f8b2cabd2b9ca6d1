/** Orders all work on a run: one piece at a time, in the order of arrival. Work on different runs does not wait for each other. */
export class RunQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Does a piece of work once everything that arrived for the run before it is done; answers what the work answers. */
  enter<T>(run: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(run) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(noop, noop).then(() => {
      if (this.#tails.get(run) === tail) this.#tails.delete(run);
    });
    this.#tails.set(run, tail);
    return result;
  }

  /** Resolves when no work is left, also none that arrives meanwhile. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}

function noop(): void {
  // Who entered the work is told how it went; the queue only needs to know that it is over.
}
