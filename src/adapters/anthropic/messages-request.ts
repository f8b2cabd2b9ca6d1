import { ownValue, type JsonObject } from "../../contract/json.js";
import { itemsOf, markOfMessage, marksOfWords } from "./message-marks.js";

/** A request for a message, as its HTTP body has it. */
export interface MessagesRequest {
  /** What decides the answer: the body, without whether it is streamed. */
  readonly asked: JsonObject;
  readonly isStreamed: boolean;
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
  return { asked, isStreamed: stream === true };
}

/** The HTTP body of a request. */
export function bodyOf({ asked, isStreamed }: MessagesRequest): string {
  return JSON.stringify(isStreamed ? { ...asked, stream: true } : asked);
}

/** The ids of the tool calls whose results a request carries, and the marks of the answers that it carries. */
export function answeredBy({ asked }: MessagesRequest): readonly string[] {
  const [thread] = itemsOf([ownValue(asked, "thread") ?? null]);
  const before = thread && ownValue(thread, "previous_message_id");
  return [
    ...(typeof before === "string" ? [markOfMessage(before)] : []),
    ...messagesIn(asked).flatMap((message) => [
      ...(ownValue(message, "role") === "assistant" ? marksOfWords(message) : []),
      ...itemsOf(ownValue(message, "content")).flatMap((block) => {
        const id = ownValue(block, "tool_use_id");
        return ownValue(block, "type") === "tool_result" && typeof id === "string" ? [id] : [];
      }),
    ]),
  ];
}

/** The messages that a request carries. */
export function messagesIn(asked: JsonObject): readonly JsonObject[] {
  return itemsOf(ownValue(asked, "messages"));
}
