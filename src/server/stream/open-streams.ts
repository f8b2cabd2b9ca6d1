/** The streams that are open, so that a server that stops can end them: their readers would keep it up for ever. */
export class OpenStreams {
  readonly #ends = new Set<() => void>();
  #closed = false;

  get size(): number {
    return this.#ends.size;
  }

  /** Registers a stream by the way to end it, which is used at once when no stream may be open any more. Answers the way to leave. */
  add(end: () => void): () => void {
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
