import { NO_SECRETS, type Secrets } from "../secrets.js";

/** The end of a text that may be endless, for an error message. */
export class TextTail {
  #text = "";
  #isCut = false;

  /**
   * @param limit how many characters are kept.
   * @param secrets what is not shown.
   */
  constructor(
    private readonly limit: number,
    private readonly secrets: Secrets = NO_SECRETS,
  ) {}

  add(text: string): void {
    const whole = this.#text + text;
    const kept = this.limit + this.secrets.longest;
    this.#isCut ||= whole.length > kept;
    this.#text = whole.slice(-kept);
  }

  /** On one line, without what would recolour or reorder the line that it stands in. */
  get text(): string {
    // What was cut may begin with the rest of a secret.
    const hidden = this.secrets.hide(this.#text).slice(this.#isCut ? this.secrets.longest : 0);
    return hidden
      .slice(-this.limit)
      .toWellFormed()
      .replace(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, "")
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
      .trim();
  }
}
