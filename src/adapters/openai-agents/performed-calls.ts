import {
  waitOf,
  type AgentRun,
  type CarriedAsk,
  type RunWait,
  type ToolAsk,
  type TurnAsk,
} from "../../client/index.js";
import { outputText, tellable } from "../tool-words.js";
import { AroundTools } from "./around-tools.js";
import { Stops } from "./stops.js";

/** The calls of a run, between the moment they are performed and the moment the framework asks what they came to. */
export class PerformedCalls {
  readonly around = new AroundTools();
  readonly stops = new Stops();
  readonly #agent: AgentRun;
  readonly #told = new Map<string, string>();
  /** What was told last, also when it was taken. */
  readonly #words = new Map<string, string>();
  readonly #waits = new Map<string, RunWait>();

  constructor(agent: AgentRun) {
    this.#agent = agent;
  }

  /** What a call waits for that was performed and did not end. */
  waitOf(id: string): RunWait | undefined {
    return this.#waits.get(id);
  }

  /**
   * Performs a call, or finds what is recorded of it, and keeps what its model is told until that is taken: a call that ended must
   * not be asked for again behind one that waits.
   *
   * @throws what stops the loop: that it waits for a person, or that it cannot be known how it ended.
   */
  async perform(ask: ToolAsk, signal?: AbortSignal): Promise<void> {
    this.#waits.delete(ask.id);
    const carried = (asks: readonly TurnAsk[]) => asks.map((one) => this.#held(one, ask));
    try {
      this.#told.set(ask.id, outputText(await this.#agent.call(ask, { signal, carried })));
    } catch (error) {
      const wait = waitOf(error);
      if (wait !== undefined) this.#waits.set(ask.id, wait);
      const told = tellable(error);
      if (told === undefined) {
        this.stops.note(error);
        throw error;
      }
      this.#told.set(ask.id, told);
    }
  }

  /** What the model is told of a call, which is performed now unless it was. */
  async take(ask: ToolAsk, signal?: AbortSignal): Promise<string> {
    if (!this.#told.has(ask.id)) await this.perform(ask, signal);
    const told = this.#told.get(ask.id);
    this.#told.delete(ask.id);
    if (told === undefined) throw new Error(`the call ${ask.id} of ${ask.tool} was asked for twice at once`);
    this.#words.set(ask.id, told);
    return told;
  }

  /** Whether these words are what this process answered to a call. */
  wasTold(id: string, words: string): boolean {
    return this.#words.get(id) === words;
  }

  /** An ask beside one that is made now, as the framework holds it. */
  #held(ask: TurnAsk, made: ToolAsk): CarriedAsk {
    return ask.id !== made.id && this.around.isDeclined(ask) ? { ...ask, told: "denial" } : ask;
  }
}
