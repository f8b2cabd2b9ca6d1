import type { Execution } from "./event-store.js";

interface Held extends Execution {
  readonly until: number;
}

/**
 * Who performs which run's call right now, in memory: for a store that one process has to itself, where nobody performs
 * anything any more once that process is gone.
 */
export class Executions {
  readonly #held = new Map<string, Held>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether `holder` holds it now; not while another one's has not expired. */
  hold(run: string, { seq, holder }: Execution, ttlMs: number): boolean {
    const current = this.of(run);
    if (current !== undefined && current.holder !== holder) return false;
    this.#held.set(run, { seq, holder, until: this.now() + ttlMs });
    return true;
  }

  release(run: string, { seq, holder }: Execution): void {
    const current = this.#held.get(run);
    if (current?.holder === holder && current.seq === seq) this.#held.delete(run);
  }

  of(run: string): Execution | undefined {
    const current = this.#held.get(run);
    if (current === undefined) return undefined;
    const { seq, holder, until } = current;
    if (until > this.now()) return { seq, holder };
    this.#held.delete(run);
    return undefined;
  }
}
