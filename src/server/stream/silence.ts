/** For how long a stream has said nothing: whatever else happens meanwhile, its reader must hear that it lives. */
export class Silence {
  #since = performance.now();

  /** @param limitMs how long it may last. */
  constructor(private readonly limitMs: number) {}

  /** For how many milliseconds it may last yet; 0 when it has lasted long enough. */
  get leftMs(): number {
    return Math.max(0, this.#since + this.limitMs - performance.now());
  }

  /** Something was said. */
  end(): void {
    this.#since = performance.now();
  }
}
