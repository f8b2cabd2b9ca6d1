import {
  AIMessage,
  ToolMessage,
  type AIMessageChunk,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import type { ToolAsk } from "../../client/index.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";

/**
 * What a message says, as part of a request: everything that a model is told, and nothing that LangChain or a provider adds
 * beside it. Ids are left out: LangGraph gives a random one to each message that has none.
 */
export function messageJson(message: BaseMessage): JsonObject {
  const { content, name, additional_kwargs: extra } = message;
  return plain({
    type: message.type,
    content,
    name: name === undefined || name === "" ? undefined : name,
    extra: Object.keys(extra).length === 0 ? undefined : extra,
    ...(AIMessage.isInstance(message) && {
      tool_calls: message.tool_calls?.map(({ id, name: tool, args }) => ({ id, name: tool, args })),
    }),
    ...(ToolMessage.isInstance(message) && {
      tool_call_id: message.tool_call_id,
      status: message.status === "error" ? "error" : undefined,
    }),
  });
}

/** What a model says: whole, or gathered from a stream. */
export type Said = AIMessage | AIMessageChunk;

/** What a model's answer used; its type in LangChain depends on what the message holds. */
export function usageOf({ usage_metadata }: Said): UsageMetadata | undefined {
  return usage_metadata;
}

/** A model's answer as it is recorded: all that {@link answerOf} makes the same message of. */
export function answerJson(message: Said): JsonObject {
  const { id, content, name, tool_calls, invalid_tool_calls } = message;
  const { additional_kwargs, response_metadata } = message;
  return plain({
    id,
    content,
    name,
    tool_calls,
    invalid_tool_calls,
    usage_metadata: usageOf(message),
    additional_kwargs,
    response_metadata,
  });
}

/** The message that was recorded: a new one each time, because LangChain changes messages in place. */
export function answerOf(response: JsonValue): AIMessage {
  return new AIMessage(structuredClone(response) as ConstructorParameters<typeof AIMessage>[0] & object);
}

/** The calls that a recorded answer asks for. One without an id has no name that its result could be found under. */
export function callsIn(response: JsonValue): readonly ToolAsk[] {
  return (answerOf(response).tool_calls ?? []).flatMap(({ id, name, args }) =>
    id === undefined ? [] : [{ id, tool: name, input: plain(args) }],
  );
}

/** What shows in later messages that they carry an answer that asks for nothing: its words. */
export function marksIn(response: JsonValue): readonly string[] {
  return marksOf(answerOf(response));
}

/** What these messages carry of earlier answers: the ids of the calls whose results they hold, and words. */
export function answeredIn(messages: readonly BaseMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    if (ToolMessage.isInstance(message)) return [message.tool_call_id];
    return AIMessage.isInstance(message) ? marksOf(message) : [];
  });
}

function marksOf({ tool_calls = [], text }: AIMessage): readonly string[] {
  return tool_calls.length === 0 ? [`words: ${text}`] : [];
}

/** A copy as JSON has it: without what is undefined, or a function. */
export function plain(value: Readonly<Record<string, unknown>>): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
