import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";

/** By what a request shows that it carries a recorded message, besides the ids of its calls. */
export function marksOf(recorded: JsonValue): readonly string[] {
  if (!isJsonObject(recorded)) return [];
  const id = ownValue(recorded, "id");
  return [...(typeof id === "string" ? [markOfMessage(id)] : []), ...marksOfWords(recorded)];
}

/** The mark of a message that a request on a thread goes on behind. */
export function markOfMessage(id: string): string {
  return `message: ${id}`;
}

/** The mark of what a message of the model says, when it asks for nothing. */
export function marksOfWords(message: JsonObject): readonly string[] {
  const content = ownValue(message, "content");
  if (typeof content === "string") return [`words: ${content}`];
  const blocks = itemsOf(content);
  if (blocks.some((block) => ownValue(block, "type") === "tool_use")) return [];
  const words = blocks
    .map((block) => {
      const text = ownValue(block, "text");
      return ownValue(block, "type") === "text" && typeof text === "string" ? text : "";
    })
    .join("");
  return words === "" ? [] : [`words: ${words}`];
}

/** The objects of a list; none when it is no list. */
export function itemsOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
}
