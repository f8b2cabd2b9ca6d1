import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { getCurrentTaskInput, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { CarriedAsk } from "../../client/index.js";
import { plain } from "./message-json.js";

/** The asks of a model's answer as a graph holds them, and the messages that it would tell the model of them. */
export interface CarriedTurn {
  readonly asks: readonly CarriedAsk[];
  readonly results: readonly ToolMessage[];
}

/** What messages hold of the calls that models asked for: with the inputs that people edited, and without what they took out. */
export function turnsIn(messages: readonly BaseMessage[]): readonly CarriedTurn[] {
  const behind = messages.map((message, at) => (AIMessage.isInstance(message) ? messages.slice(at) : []));
  return behind.flatMap(([answer, ...rest]) => {
    if (!AIMessage.isInstance(answer)) return [];
    const next = rest.findIndex((message) => AIMessage.isInstance(message));
    const results = (next < 0 ? rest : rest.slice(0, next)).filter((message) =>
      ToolMessage.isInstance(message),
    );
    return [{ asks: asksOf(answer, results), results }];
  });
}

/** The asks of the answer that a call is part of, as a graph holds them; `undefined` when its messages do not hold that answer. */
export function asksBeside(
  id: string | undefined,
  messages: readonly BaseMessage[],
): readonly CarriedAsk[] | undefined {
  const { asks = [], results = [] } = turnsIn(messages).at(-1) ?? {};
  // An earlier answer may have had a call of that id, and has its result.
  if (results.some(({ tool_call_id }) => tool_call_id === id)) return undefined;
  return asks.some((ask) => ask.id === id) ? asks : undefined;
}

function asksOf({ tool_calls = [] }: AIMessage, results: readonly ToolMessage[]): readonly CarriedAsk[] {
  return tool_calls.flatMap(({ id, name, args }) => {
    if (id === undefined) return [];
    const result = results.find(({ tool_call_id }) => tool_call_id === id);
    // What was rejected has such a message too.
    const told = result?.status === "error" ? "error" : undefined;
    return [{ id, tool: name, input: plain(args), told }];
  });
}

/** The messages that a task of a graph was given; none outside of one. */
export function taskMessages(config: LangGraphRunnableConfig): readonly BaseMessage[] {
  const input = taskInput(config);
  const { messages = input } = (input ?? {}) as { readonly messages?: unknown };
  return Array.isArray(messages) ? (messages as BaseMessage[]) : [];
}

function taskInput(config: LangGraphRunnableConfig): unknown {
  try {
    return getCurrentTaskInput(config);
  } catch {
    return undefined;
  }
}
