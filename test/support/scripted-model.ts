import type { JsonValue } from "#salvor/contract/json.js";
import type { ModelAnswer, ModelCallOptions, ModelExecutor } from "#salvor/server/index.js";

/** One call that reached the model. */
export interface ModelAttempt {
  readonly request: JsonValue;
  readonly options: ModelCallOptions;
}

type Script = (attempt: ModelAttempt) => Promise<ModelAnswer> | ModelAnswer;

/** An executor that remembers every call, and answers as the test says. */
export class ScriptedModel implements ModelExecutor {
  readonly attempts: ModelAttempt[] = [];
  readonly #scripts: Script[] = [];
  readonly #waiting: (() => void)[] = [];

  /** The next calls go like this, one each; further ones answer how often the model was called. */
  next(...scripts: Script[]): void {
    this.#scripts.push(...scripts);
  }

  async call(request: JsonValue, options: ModelCallOptions): Promise<ModelAnswer> {
    const attempt = { request, options };
    this.attempts.push(attempt);
    for (const wake of this.#waiting.splice(0)) wake();
    const script = this.#scripts.shift();
    return script === undefined ? answerOf(`answer ${this.attempts.length}`) : script(attempt);
  }

  /** Resolves when the model was called so often. */
  async called(times: number): Promise<void> {
    while (this.attempts.length < times) await new Promise<void>((wake) => this.#waiting.push(wake));
  }
}

export function answerOf(text: string): ModelAnswer {
  return { response: { role: "assistant", text }, usage: { input_tokens: 3, output_tokens: 4 } };
}

/** A promise, and the way to settle it from outside. */
export function later<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
