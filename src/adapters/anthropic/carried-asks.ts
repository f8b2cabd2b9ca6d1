import type { HeldAsk } from "../../client/index.js";
import { ownValue, type JsonObject } from "../../contract/json.js";
import { itemsOf } from "./message-marks.js";

/** The asks of an answer that messages carry, or of which they carry the results alone, as on a thread. */
export interface CarriedTurn {
  readonly asks: readonly HeldAsk[];
  /** The blocks that hold the results, by the ids of their asks. */
  readonly results: ReadonlyMap<string, JsonObject>;
}

/** The answers of which messages hold asks or results. */
export function turnsIn(messages: readonly JsonObject[]): readonly CarriedTurn[] {
  const turns: { readonly asked: readonly JsonObject[]; readonly results: Map<string, JsonObject> }[] = [];
  for (const message of messages) {
    const blocks = itemsOf(ownValue(message, "content"));
    if (ownValue(message, "role") === "assistant" || turns.length === 0)
      turns.push({ asked: blocksOf(blocks, "tool_use"), results: new Map() });
    for (const block of blocksOf(blocks, "tool_result")) {
      const id = ownValue(block, "tool_use_id");
      if (typeof id === "string") turns.at(-1)?.results.set(id, block);
    }
  }
  return turns.map(({ asked, results }) => ({ asks: asksOf(asked, results), results }));
}

function asksOf(asked: readonly JsonObject[], results: ReadonlyMap<string, JsonObject>): readonly HeldAsk[] {
  const ids = new Set([...asked.map(({ id }) => id), ...results.keys()]);
  return [...ids].flatMap((id) => {
    if (typeof id !== "string") return [];
    const { name, input } = asked.find((block) => block["id"] === id) ?? {};
    const result = results.get(id);
    const isError = result !== undefined && ownValue(result, "is_error") === true;
    const tool = typeof name === "string" ? name : undefined;
    return [{ id, tool, input, told: isError ? "error" : undefined }];
  });
}

function blocksOf(blocks: readonly JsonObject[], type: string): readonly JsonObject[] {
  return blocks.filter((block) => ownValue(block, "type") === type);
}
