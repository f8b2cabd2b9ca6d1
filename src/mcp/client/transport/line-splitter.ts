/** Cuts a stream of UTF-8 into lines, without copying what it holds of one again for every piece that arrives. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #length = 0;

  /** @param limit how many bytes a line may have. */
  constructor(private readonly limit: number) {}

  /**
   * Takes a piece.
   *
   * @returns the lines that it completes.
   * @throws RangeError when a line is too long.
   */
  add(piece: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      this.#keep(piece.subarray(from, end));
      lines.push(Buffer.concat(this.#pieces).toString("utf8"));
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.limit) {
      this.#pieces = [];
      throw new RangeError(`a line of more than ${this.limit} bytes`);
    }
    if (part.length > 0) this.#pieces.push(part);
  }
}
