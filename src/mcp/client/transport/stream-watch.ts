/** How often in a row a stream that broke is asked for again, before that is given up. */
export const STREAM_RETRIES = 2;

/**
 * Watches the stream on which a web server says things by itself. What it said while the stream was broken reached nobody: that
 * has to be asked for once the stream is open again, or on another connection when it cannot be opened any more.
 */
export class StreamWatch {
  #hasOpened = false;
  #failures = 0;

  constructor(private readonly told: { readonly onReopened: () => void; readonly onLost: () => void }) {}

  /** @param asking what becomes of asking for the stream. */
  async watched(asking: Promise<Response>): Promise<Response> {
    const response = await asking.catch((error: unknown) => {
      this.#failed();
      throw error;
    });
    if (response.ok) this.#opened();
    // A server that has no such stream says so.
    else if (response.status !== 405) this.#failed();
    return response;
  }

  #opened(): void {
    this.#failures = 0;
    if (this.#hasOpened) this.told.onReopened();
    this.#hasOpened = true;
  }

  #failed(): void {
    this.#failures += 1;
    if (this.#hasOpened && this.#failures === STREAM_RETRIES) this.told.onLost();
  }
}
