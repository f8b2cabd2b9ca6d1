/** How much of a server's text a message carries, in characters. */
const MOST_TEXT = 2_000;

/** A server's text for a message: no longer than one can be read, and whole as Unicode. */
export function shortened(text: string): string {
  return text.length <= MOST_TEXT ? text.toWellFormed() : `${text.slice(0, MOST_TEXT).toWellFormed()}…`;
}
