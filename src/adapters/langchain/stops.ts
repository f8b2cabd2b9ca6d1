import type { AgentRun } from "../../client/index.js";

/**
 * The calls of a run that ended with an error that stops the loop, by their ids. A loop may have made an answer of such an
 * error nevertheless; a model must not be told it.
 */
export class Stops {
  static readonly #ofRuns = new WeakMap<AgentRun, Stops>();
  readonly #errors = new Map<string, unknown>();

  static of(run: AgentRun): Stops {
    const stops = this.#ofRuns.get(run) ?? new Stops();
    this.#ofRuns.set(run, stops);
    return stops;
  }

  stop(id: string, error: unknown): void {
    this.#errors.set(id, error);
  }

  /** The call was made again, and has an answer. */
  goOn(id: string): void {
    this.#errors.delete(id);
  }

  /** @throws what one of these calls was stopped by. */
  refuse(ids: readonly string[]): void {
    const stopped = ids.find((id) => this.#errors.has(id));
    if (stopped !== undefined) throw this.#errors.get(stopped);
  }
}
