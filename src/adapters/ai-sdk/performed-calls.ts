import {
  waitOf,
  type AgentCallOptions,
  type AgentRun,
  type RunWait,
  type ToolAsk,
} from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import { tellable } from "../tool-words.js";
import { isToolExecutionAllowed } from "./model-answer.js";
import type { ModelResult } from "./model-types.js";

/** What a call came to that its model may be told of. */
export type ToldEnd = { readonly output: JsonValue } | { readonly failure: unknown };

/** How a call was asked for. */
interface AskedCall {
  readonly signal: AbortSignal | undefined;
  /** Whether the answer that asks for it came to its end: the AI SDK executes nothing that may have been cut off. */
  readonly isWhole: boolean;
}

/** The calls of one run, between the moment they are performed and the moment the AI SDK asks what they came to. */
export class PerformedCalls {
  readonly #agent: AgentRun;
  readonly #ends = new Map<string, ToldEnd>();
  readonly #waits = new Map<string, RunWait>();
  /** What calls threw of which the AI SDK made an answer for the model that it must not be given. */
  readonly #untold = new Map<string, unknown>();
  readonly #asked = new Map<string, AskedCall>();

  constructor(agent: AgentRun) {
    this.#agent = agent;
  }

  /** What a call waits for that was performed and did not end. */
  waitOf(id: string): RunWait | undefined {
    return this.#waits.get(id);
  }

  /** Notes how the calls of an answer are asked for: where they are performed, that is not at hand. */
  askedBy({ content, finishReason }: ModelResult, signal: AbortSignal | undefined): void {
    const isWhole = isToolExecutionAllowed(finishReason);
    for (const part of content)
      if (part.type === "tool-call") this.#asked.set(part.toolCallId, { signal, isWhole });
  }

  /** Whether the AI SDK would execute a call. */
  isWhole(id: string): boolean {
    return this.#asked.get(id)?.isWhole !== false;
  }

  /** The call has ended since, and a model may be told how. */
  goOn(id: string): void {
    this.#untold.delete(id);
  }

  /** @throws the error of a call that a model is about to be told of, though it has not ended. */
  refuseUntold(answered: readonly string[]): void {
    for (const id of answered) if (this.#untold.has(id)) throw this.#untold.get(id);
  }

  /**
   * Performs a call, and keeps what it came to until that is taken.
   *
   * @param around the asks beside it, and a signal: that of the request for its answer, unless given.
   * @throws what stops the loop: that it waits for a person, or that it cannot be known how it ended.
   */
  async perform(
    ask: ToolAsk,
    { carried, signal = this.#asked.get(ask.id)?.signal }: AgentCallOptions,
  ): Promise<void> {
    this.#waits.delete(ask.id);
    this.#untold.delete(ask.id);
    try {
      this.#ends.set(ask.id, { output: await this.#agent.call(ask, { carried, signal }) });
    } catch (error) {
      const wait = waitOf(error);
      if (wait !== undefined) this.#waits.set(ask.id, wait);
      if (tellable(error) === undefined) throw error;
      this.#ends.set(ask.id, { failure: error });
    }
  }

  /** What a call came to, which is performed now unless it was. The AI SDK tells a model whatever this throws. */
  async take(ask: ToolAsk, around: AgentCallOptions): Promise<JsonValue> {
    try {
      if (!this.#ends.has(ask.id)) await this.perform(ask, around);
    } catch (error) {
      this.#untold.set(ask.id, error);
      throw error;
    }
    const end = this.#ends.get(ask.id);
    this.#ends.delete(ask.id);
    if (end === undefined) throw new Error(`the call ${ask.id} of ${ask.tool} was asked for twice at once`);
    if ("failure" in end) throw end.failure;
    return end.output;
  }
}
