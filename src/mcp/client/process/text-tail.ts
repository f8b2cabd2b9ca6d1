/** The end of a text that may be endless, for an error message. */
export class TextTail {
  #text = "";

  /** @param limit how many characters are kept. */
  constructor(private readonly limit: number) {}

  add(text: string): void {
    this.#text = (this.#text + text.slice(-this.limit)).slice(-this.limit);
  }

  /** On one line, without what would recolour or reorder the line that it stands in. */
  get text(): string {
    return this.#text
      .toWellFormed()
      .replace(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, "")
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
      .trim();
  }
}
