/** Cuts a stream of bytes into lines, none longer than it may be. */
export class LineReader {
  #pieces: Buffer[] = [];
  #length = 0;
  /** Whether the line at hand is too long: the rest of it is let go by. */
  #isBeyond = false;

  /**
   * @param longest how many bytes a line may have.
   * @param onLine is handed each line; `undefined` stands for one that is too long.
   */
  constructor(
    private readonly longest: number,
    private readonly onLine: (line: Buffer | undefined) => void,
  ) {}

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEW_LINE); end >= 0; end = rest.indexOf(NEW_LINE)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.#end();
    }
    this.#add(rest);
  }

  #add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.longest) {
      this.#isBeyond = true;
      this.#pieces = [];
    }
    if (!this.#isBeyond && piece.length > 0) this.#pieces.push(piece);
  }

  #end(): void {
    const line = this.#isBeyond ? undefined : Buffer.concat(this.#pieces);
    [this.#pieces, this.#length, this.#isBeyond] = [[], 0, false];
    this.onLine(line);
  }
}

const NEW_LINE = 0x0a;
