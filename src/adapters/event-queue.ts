/** Hands things over from who makes them to who reads them, whatever the pace of either. For one reader. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #end: { readonly error?: unknown; readonly isFailed: boolean } | undefined;
  #wake: (() => void) | undefined;

  push(...items: readonly T[]): void {
    this.#waiting.push(...items);
    this.#wake?.();
  }

  /** Nothing more comes. */
  close(): void {
    this.#end ??= { isFailed: false };
    this.#wake?.();
  }

  /** Nothing more comes, because of this error: its reader gets it behind what came before. */
  fail(error: unknown): void {
    this.#end ??= { error, isFailed: true };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#end?.isFailed === true) throw this.#end.error;
      if (this.#end !== undefined) return;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}
