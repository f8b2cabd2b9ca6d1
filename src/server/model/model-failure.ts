/** A model call that came to nothing. Its intent stays open, and the call may be made again. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  /** No member of its own: a logger writes those. */
  readonly #said: string | undefined;

  /**
   * @param message what went wrong. It is logged, so it holds nothing of the request, the answer or a key.
   * @param said what the one who asked is told besides, in the provider's own words. They may quote the request, and are
   *   not logged.
   */
  constructor(message: string, said?: string) {
    super(message);
    this.#said = said;
  }

  get said(): string | undefined {
    return this.#said;
  }

  /** What the one who asked is told. */
  get told(): string {
    return this.#said === undefined ? this.message : `${this.message}: ${this.#said}`;
  }
}
