import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";

type Answered = (isOut: boolean) => Promise<void>;

/** An HTTP request that is being answered: who asks, and whether the answer has left. */
export class HttpExchange {
  readonly #waiting = new Set<Answered>();
  #isOut: boolean | undefined;

  constructor(
    response: ServerResponse,
    /** Whether whoever asks may decide about a call that waits for a person. */
    readonly mayDecide: boolean,
    private readonly onError: (error: unknown) => void,
  ) {
    response.once("finish", () => {
      this.#know(true);
    });
    response.once("close", () => {
      this.#know(false);
    });
  }

  whenAnswered(answered: Answered): void {
    if (this.#isOut === undefined) this.#waiting.add(answered);
    else this.#tell(answered, false);
  }

  #know(isOut: boolean): void {
    this.#isOut ??= isOut;
    for (const answered of this.#waiting) this.#tell(answered, this.#isOut);
    this.#waiting.clear();
  }

  #tell(answered: Answered, isOut: boolean): void {
    answered(isOut).catch(this.onError);
  }
}

const current = new AsyncLocalStorage<HttpExchange>();

/** Does work, and all that it starts, as part of an exchange. */
export function inExchange<T>(exchange: HttpExchange, work: () => T): T {
  return current.run(exchange, work);
}

/** The exchange that the code which is running belongs to. */
export function currentExchange(): HttpExchange {
  const exchange = current.getStore();
  if (exchange === undefined) throw new TypeError("this is no part of an HTTP exchange");
  return exchange;
}
