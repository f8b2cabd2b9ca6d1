import { waitOf } from "../../client/index.js";
import { LoopStoppedError } from "./loop-stopped-error.js";

/** The calls that stopped the loop, by their ids, until they are made again. */
export class Stops {
  readonly #errors = new Map<string, unknown>();

  clear(id: string): void {
    this.#errors.delete(id);
  }

  note(id: string, error: unknown): void {
    this.#errors.set(id, error);
  }

  /** What stopped the loop at one of these calls, or at any: one that waits for a person before another. */
  among(ids?: readonly string[]): LoopStoppedError | undefined {
    const errors = (ids ?? [...this.#errors.keys()]).flatMap((id) =>
      this.#errors.has(id) ? [this.#errors.get(id)] : [],
    );
    if (errors.length === 0) return undefined;
    const error = errors.find((one) => waitOf(one) !== undefined) ?? errors[0];
    return new LoopStoppedError(error);
  }
}
