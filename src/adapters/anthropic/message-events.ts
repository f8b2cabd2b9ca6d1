import type { JsonObject, JsonValue } from "../../contract/json.js";
import { itemsOf } from "./message-marks.js";

/** An event of a stream of the Messages API. */
export interface MessageEvent extends JsonObject {
  readonly type: string;
}

/** The events of a stream that says a message: what is told piece by piece comes as one piece. */
export function eventsOf(message: JsonObject): readonly MessageEvent[] {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...rest } = message;
  const start = { ...rest, content: [], stop_reason: null, stop_sequence: null, usage: usage ?? {} };
  const delta = definedOf({ stop_reason, stop_sequence, stop_details });
  return [
    { type: "message_start", message: start },
    ...itemsOf(content).flatMap(blockEvents),
    { type: "message_delta", delta, usage: usage ?? {} },
    { type: "message_stop" },
  ];
}

/** The text of an event as a server sends it. */
export function frameOf(event: MessageEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function blockEvents(block: JsonObject, index: number): readonly MessageEvent[] {
  const [start, delta] = apart(block);
  return [
    { type: "content_block_start", index, content_block: start },
    ...(delta === undefined ? [] : [{ type: "content_block_delta", index, delta }]),
    { type: "content_block_stop", index },
  ];
}

/** What a block starts as, and what is added to it. */
function apart(block: JsonObject): readonly [JsonObject, JsonObject?] {
  switch (block["type"]) {
    case "text":
      return [{ ...block, text: "" }, definedOf({ type: "text_delta", text: block["text"] })];
    case "thinking":
      return [{ ...block, thinking: "" }, definedOf({ type: "thinking_delta", thinking: block["thinking"] })];
    case "tool_use": {
      const partial_json = JSON.stringify(block["input"] ?? {});
      return [
        { ...block, input: {} },
        { type: "input_json_delta", partial_json },
      ];
    }
    default:
      return [block];
  }
}

function definedOf(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
