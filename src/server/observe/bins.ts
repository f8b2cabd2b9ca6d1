/** How often something took how long: a histogram with fixed bounds. */
export class Bins {
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the upper bound of each bin, ascending; what is larger than all of them counts too. */
  constructor(readonly bounds: readonly number[]) {
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const found = this.bounds.findIndex((bound) => value <= bound);
    const at = found < 0 ? this.bounds.length : found;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  /** For each bound, and then for all: how many values were not larger. */
  get cumulative(): readonly number[] {
    let below = 0;
    return this.#counts.map((count) => (below += count));
  }
}
