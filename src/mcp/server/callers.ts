interface Waiting {
  readonly giveUp: AbortController;
  count: number;
}

/** One of those who wait for a call. */
export interface Caller {
  /** Aborted when everybody who waited for the call has given it up. */
  readonly signal: AbortSignal;
  /** Waits no longer; the call goes on. */
  leave(): void;
}

/** Who waits for which run's call: one who gives up must not take the answer from the others. */
export class Callers {
  readonly #waiting = new Map<string, Waiting>();

  /** Whether anybody waits for the call of a run. */
  has(run: string): boolean {
    return this.#waiting.has(run);
  }

  /** @param signal gives the call up for this one. */
  join(run: string, signal: AbortSignal): Caller {
    const waiting = this.#waiting.get(run) ?? { giveUp: new AbortController(), count: 0 };
    waiting.count += 1;
    this.#waiting.set(run, waiting);
    let isHere = true;
    const go = (): boolean => {
      if (!isHere) return false;
      isHere = false;
      signal.removeEventListener("abort", onAbort);
      waiting.count -= 1;
      if (waiting.count > 0) return false;
      if (this.#waiting.get(run) === waiting) this.#waiting.delete(run);
      return true;
    };
    const onAbort = (): void => {
      if (go()) waiting.giveUp.abort(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    return { signal: waiting.giveUp.signal, leave: () => void go() };
  }
}
