import { ApiError } from "../api-error.js";
import { ModelCall } from "./model-call.js";
import type { ModelAnswer } from "./model-executor.js";

/** The model calls that this server is making: one at a position of a run, which whoever asks for it again joins. */
export class ModelCalls {
  readonly #running = new Map<string, ModelCall>();
  #closed = false;

  /** @param limitMs how long a call may take at the most. */
  constructor(private readonly limitMs: number) {}

  get size(): number {
    return this.#running.size;
  }

  /**
   * The call that is being made at a position, made now if there is none.
   *
   * @param work makes the call and records its answer.
   */
  join(run: string, seq: number, work: (call: ModelCall) => Promise<ModelAnswer>): ModelCall {
    const name = `${run}/${seq}`;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    if (this.#closed) throw stopping();
    const call = new ModelCall(work);
    this.#running.set(name, call);
    const limit = setTimeout(() => {
      call.stop(
        new ApiError("model_execution", `the model did not answer within ${this.limitMs} ms; ask again`),
      );
    }, this.limitMs);
    const end = (): void => {
      clearTimeout(limit);
      if (this.#running.get(name) === call) this.#running.delete(name);
    };
    call.answer.then(end, end);
    return call;
  }

  /** Gives up every call. Their intents stay open, so that another server makes them again. */
  async close(): Promise<void> {
    this.#closed = true;
    const calls = [...this.#running.values()];
    for (const call of calls) call.stop(stopping());
    await Promise.allSettled(calls.map(({ answer }) => answer));
  }
}

function stopping(): ApiError {
  return new ApiError(
    "shutting_down",
    "this server is shutting down; the model is called again when you ask again",
    {
      headers: { "Retry-After": "1" },
    },
  );
}
