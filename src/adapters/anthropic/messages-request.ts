import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";

/** A request for a message, as its HTTP body has it. */
export interface MessagesRequest {
  /** What decides the answer: the body, without whether it is streamed. */
  readonly asked: JsonObject;
  readonly isStreamed: boolean;
  /** The ids of the tool calls whose results it carries. */
  readonly answered: readonly string[];
}

/** Reads a request of the SDK; `undefined` when it is for something else than a message. */
export function messagesRequestOf(request: {
  readonly url: string;
  readonly method?: string | undefined;
  readonly body?: unknown;
}): MessagesRequest | undefined {
  const isAsked =
    request.method?.toUpperCase() === "POST" && new URL(request.url).pathname.endsWith("/v1/messages");
  if (!isAsked || typeof request.body !== "string") return undefined;
  const { stream, ...asked } = JSON.parse(request.body) as JsonObject;
  return { asked, isStreamed: stream === true, answered: answeredBy(asked) };
}

function answeredBy(asked: JsonObject): readonly string[] {
  return itemsOf(ownValue(asked, "messages")).flatMap((message) =>
    itemsOf(ownValue(message, "content")).flatMap((block) => {
      const id = ownValue(block, "tool_use_id");
      return ownValue(block, "type") === "tool_result" && typeof id === "string" ? [id] : [];
    }),
  );
}

/** The objects of a list; none when it is no list. */
export function itemsOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
}
