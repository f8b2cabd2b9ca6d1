/** Counts by labels, as long as the process lives. */
export class Tally {
  readonly #counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();

  add(labels: Readonly<Record<string, string>> = {}): void {
    const key = JSON.stringify(labels);
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += 1;
    else this.#counts.set(key, { labels, count: 1 });
  }

  get counts(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly count: number }> {
    return this.#counts.values();
  }
}
