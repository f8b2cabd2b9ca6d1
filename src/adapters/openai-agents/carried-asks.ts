import type { AgentInputItem, FunctionCallItem, FunctionCallResultItem } from "@openai/agents";

/** The calls of a model's answer that a request carries, and their results. */
export interface CarriedTurn {
  readonly calls: readonly FunctionCallItem[];
  readonly results: readonly FunctionCallResultItem[];
}

interface GrowingTurn {
  readonly calls: FunctionCallItem[];
  readonly results: FunctionCallResultItem[];
}

/**
 * The answers that the items of a request hold calls or results of. Where the provider keeps the conversation, a request
 * holds results alone: they are a turn without calls.
 */
export function turnsIn(items: readonly AgentInputItem[]): readonly CarriedTurn[] {
  const turns: GrowingTurn[] = [];
  // Whether the items of the last turn's answer are still coming.
  let isOpen = false;
  const last = (isNew: boolean): GrowingTurn => {
    const turn = isNew ? undefined : turns.at(-1);
    if (turn !== undefined) return turn;
    const fresh: GrowingTurn = { calls: [], results: [] };
    turns.push(fresh);
    return fresh;
  };
  for (const item of items) {
    if (item.type === "function_call") {
      last(!isOpen).calls.push(item);
      isOpen = true;
    } else if (item.type === "function_call_result") {
      last(false).results.push(item);
      isOpen = false;
    } else if (!isOfModel(item)) {
      isOpen = false;
    }
  }
  return turns;
}

/** The words that stand where the output of a call does; `undefined` when it is something else than words. */
export function wordsOf({ output }: FunctionCallResultItem): string | undefined {
  if (typeof output === "string") return output;
  return "text" in output ? output.text : undefined;
}

function isOfModel(item: AgentInputItem): boolean {
  if ("role" in item) return item.role === "assistant";
  return item.type.endsWith("_call") || item.type === "reasoning" || item.type === "compaction";
}
