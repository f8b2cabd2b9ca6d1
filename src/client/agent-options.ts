import type { JsonValue } from "../contract/json.js";
import type { AsksOf, TurnAsk } from "./agent-turns.js";
import type { HeldAsk } from "./ask-place.js";
import type { CallOptions } from "./client-options.js";
import type { OpenOptions } from "./client-run-options.js";
import type { ToolFailedError } from "./run-errors.js";

export interface AgentOptions extends OpenOptions {
  /** Reads which calls of tools a recorded answer of the model asks for, in its order. */
  readonly asks: AsksOf;
  /**
   * Reads what shows in a later request that it carries a recorded answer, besides the ids of its asks: its words, or an id of its own.
   * By it an agent that goes on from messages finds its place behind an answer that asks for nothing.
   */
  readonly marks?: ((response: JsonValue) => readonly string[]) | undefined;
}

export interface AgentModelOptions extends CallOptions {
  /**
   * The ids of the tool calls whose answers the request carries, and the marks of the answers that it carries: how an agent that goes
   * on from a checkpoint finds its place.
   */
  readonly answered?: readonly string[];
}

export interface AgentCallOptions extends CallOptions {
  /**
   * The asks of the same answer as the loop holds them now, where it knows: with inputs that a person edited or a program repaired,
   * and with what was declined. Asks for the same are told apart by it. A loop that does not hold the answer is handed its asks.
   */
  readonly carried?: readonly HeldAsk[] | ((asks: readonly TurnAsk[]) => readonly HeldAsk[]) | undefined;
}

/** How a call ended. */
export type CallEnd = { readonly output: JsonValue } | { readonly failure: ToolFailedError };
