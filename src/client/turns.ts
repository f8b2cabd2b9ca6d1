/** A piece of work that waits for its turn. */
export interface Place<A> {
  /** What the piece is going to ask for, so that the one before it can ask for that, too. */
  readonly ask?: A | undefined;
  /** What the piece is refused with when one before it ended so that nothing may go on by itself; without it, it goes on. */
  readonly heldBack?: (cause: unknown) => Error;
}

interface Waiting<A> extends Place<A> {
  held?: { readonly cause: unknown };
}

/** Lets pieces of work take their turns: each begins when the one before it has ended, whichever way. */
export class Turns<A> {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting: Waiting<A>[] = [];

  /** What the next piece of work is going to ask for, if one waits and said so. */
  get next(): A | undefined {
    return this.#waiting[0]?.ask;
  }

  take<T>(work: () => Promise<T>, place: Place<A> = {}): Promise<T> {
    const waiting: Waiting<A> = { ...place };
    this.#waiting.push(waiting);
    const turn = this.#last.then(() => {
      this.#waiting.shift();
      if (waiting.held !== undefined && waiting.heldBack !== undefined) {
        throw waiting.heldBack(waiting.held.cause);
      }
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Holds back whatever waits now: it was asked for by somebody who cannot have known of this. */
  holdBack(cause: unknown): void {
    for (const waiting of this.#waiting) waiting.held ??= { cause };
  }
}
