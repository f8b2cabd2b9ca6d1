/** Who performs the pending call of a run. */
export interface Execution {
  readonly seq: number;
  readonly holder: string;
}

/** The executions of a store that one process has to itself: they end with it. */
export class MemoryExecutions {
  readonly #held = new Map<string, Execution & { readonly until: number }>();

  hold(run: string, { seq, holder }: Execution, ttlMs: number): boolean {
    const other = this.current(run);
    if (other !== undefined && other.holder !== holder) return false;
    this.#held.set(run, { seq, holder, until: performance.now() + ttlMs });
    return true;
  }

  release(run: string, { seq, holder }: Execution): void {
    const held = this.#held.get(run);
    if (held?.seq === seq && held.holder === holder) this.#held.delete(run);
  }

  current(run: string): Execution | undefined {
    const held = this.#held.get(run);
    if (held === undefined) return undefined;
    if (held.until > performance.now()) return { seq: held.seq, holder: held.holder };
    this.#held.delete(run);
    return undefined;
  }
}
