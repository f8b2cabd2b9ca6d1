import { Bell } from "../stream/bell.js";
import { DeltaLog } from "./delta-log.js";
import type { ModelAnswer, ModelDelta } from "./model-executor.js";

/** A model call that this server is making, for everybody who waits for it. It goes on when all of them have gone. */
export class ModelCall {
  /** What is recorded of it in the end. Rejects with what whoever asked is answered. */
  readonly answer: Promise<ModelAnswer>;
  readonly #said = new DeltaLog();
  readonly #bells = new Set<Bell>();
  readonly #stop = new AbortController();
  #over = false;

  /** @param work makes the call and records its answer. */
  constructor(work: (call: ModelCall) => Promise<ModelAnswer>) {
    const stopped = new Promise<never>((_, reject) => {
      this.#stop.signal.addEventListener("abort", () => {
        reject(this.#stop.signal.reason as Error);
      });
    });
    const working = work(this);
    // Whoever waits hears of it through the answer; nobody may be waiting any more.
    working.catch(() => undefined);
    this.answer = Promise.race([working, stopped]).finally(() => {
      this.#over = true;
      this.#ring();
    });
    this.answer.catch(() => undefined);
  }

  /** Aborted when the call is given up. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether it has its answer, or failed. */
  get over(): boolean {
    return this.#over;
  }

  /** Gives the call up, with what those who wait are answered. An answer that comes all the same is still recorded. */
  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Takes what the model says. */
  say(delta: ModelDelta): void {
    this.#said.add(delta);
    this.#ring();
  }

  /** Reads what the model has said, from the beginning. */
  reading(): () => ModelDelta | undefined {
    return this.#said.reading();
  }

  /** Rings whenever there is more to read, and when the call is over. Answers the way to stop listening. */
  listen(bell: Bell): () => void {
    this.#bells.add(bell);
    return () => {
      this.#bells.delete(bell);
    };
  }

  /** Waits until there is something to read or the call is over, at most so long. */
  async begun(ms: number): Promise<void> {
    const bell = new Bell();
    const leave = this.listen(bell);
    try {
      if (!this.#over && this.reading()() === undefined) await bell.wait(ms);
    } finally {
      leave();
    }
  }

  #ring(): void {
    for (const bell of this.#bells) bell.ring();
  }
}
