import { busy } from "../api-error.js";

/** The streams that are open, so that a server that stops can end them: their readers would keep it up for ever. */
export class OpenStreams {
  readonly #ends = new Set<() => void>();
  #closed = false;

  /** @param max how many may be open at once. */
  constructor(private readonly max: number) {}

  get size(): number {
    return this.#ends.size;
  }

  /**
   * Registers a stream by the way to end it, which is used at once when no stream may be open any more.
   *
   * @returns the way to leave.
   * @throws ApiError when as many are open as may be.
   */
  add(end: () => void): () => void {
    if (this.#ends.size >= this.max) throw busy("event streams");
    this.#ends.add(end);
    if (this.#closed) end();
    return () => {
      this.#ends.delete(end);
    };
  }

  /** Ends every stream, also those that are opened later. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#ends]) end();
  }
}
