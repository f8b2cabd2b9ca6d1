/**
 * Lets pieces of work take their turns: each begins when the one before it has ended, whichever way. A piece may say what it
 * is going to ask for, so that the one before it can ask for that, too.
 */
export class Turns<A> {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting: { readonly ask: A | undefined }[] = [];

  /** What the next piece of work is going to ask for, if one waits and said so. */
  get next(): A | undefined {
    return this.#waiting[0]?.ask;
  }

  take<T>(work: () => Promise<T>, ask?: A): Promise<T> {
    const place = { ask };
    this.#waiting.push(place);
    const turn = this.#last.then(() => {
      this.#waiting.shift();
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
