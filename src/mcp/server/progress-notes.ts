import type { ProgressToken } from "@modelcontextprotocol/server";
import type { CallProgress } from "./served-tools.js";

/** What a progress notification says besides its token. */
export interface ProgressNote {
  readonly progressToken: ProgressToken;
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/**
 * Tells a client how a call gets on. The protocol wants a number that grows: it is the tool's own once the tool says one, and
 * counts the lines until then. What is said while a notification is still on its way is replaced by what is said last.
 */
export class ProgressNotes {
  #last = 0;
  #counts = true;
  #isSending = false;
  #next: CallProgress | undefined;

  constructor(
    private readonly token: ProgressToken,
    private readonly send: (note: ProgressNote) => Promise<void>,
  ) {}

  readonly tell = (progress: CallProgress): void => {
    this.#next = progress;
    if (!this.#isSending) void this.#sendAll();
  };

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#next !== undefined) {
      const note = this.#noteOf(this.#next);
      this.#next = undefined;
      // A client that cannot be told of progress is told of the end, or is gone.
      if (note !== undefined) await this.send(note).catch(() => undefined);
    }
    this.#isSending = false;
  }

  #noteOf({ message, progress, total }: CallProgress): ProgressNote | undefined {
    if (progress !== undefined) this.#counts = false;
    const number = progress ?? (this.#counts ? this.#last + 1 : undefined);
    if (number === undefined || number <= this.#last) return undefined;
    this.#last = number;
    return { progressToken: this.token, progress: number, message, ...(total !== undefined && { total }) };
  }
}
