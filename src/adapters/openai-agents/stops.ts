import { waitOf } from "../../client/index.js";
import { WENT_WRONG } from "./framework-words.js";

/**
 * What stopped loops of a run. An agent as a tool makes words for the agent that called it of whatever stopped its own loop: that one is
 * not to be told of it either, for it would ask again, and what it was told is nowhere recorded.
 */
export class Stops {
  readonly #errors = new Map<string, Error>();

  note(error: unknown): void {
    if (error instanceof Error) this.#errors.set(error.message, error);
  }

  /** What stopped a loop of which these words tell: rather what waits for a person. */
  toldIn(texts: readonly string[]): Error | undefined {
    const words = texts.filter((text) => text.startsWith(WENT_WRONG));
    const told = [...this.#errors.values()].filter(({ message }) =>
      words.some((text) => text.includes(message)),
    );
    return told.find((error) => waitOf(error) !== undefined) ?? told[0];
  }
}
