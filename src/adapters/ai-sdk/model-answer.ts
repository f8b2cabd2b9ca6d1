import type { ModelReply, TurnAsk } from "../../client/index.js";
import { isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ModelResult } from "./model-types.js";
import { plainJson } from "./plain-json.js";

/** What is recorded of an answer: all of it but how it was carried (headers and bodies of HTTP). */
export function replyOf(answer: ModelResult): ModelReply {
  const { inputTokens, outputTokens } = answer.usage;
  const { id, timestamp, modelId } = answer.response ?? {};
  return {
    response: plainJson({ ...answer, request: undefined, response: { id, timestamp, modelId } }),
    usage: { input_tokens: countOf(inputTokens.total), output_tokens: countOf(outputTokens.total) },
  };
}

/** The answer that is recorded. */
export function resultOf(response: JsonValue): ModelResult {
  // Recorded by `replyOf`, in this run.
  const { response: about, ...answer } = response as unknown as ModelResult;
  const timestamp = about?.timestamp;
  return {
    ...answer,
    response: { ...about, ...(timestamp !== undefined && { timestamp: new Date(timestamp) }) },
  };
}

/** Whether the AI SDK executes the calls of an answer that ended so: of one that was cut off, it does not. */
export function isToolExecutionAllowed({ unified }: ModelResult["finishReason"]): boolean {
  return unified === "stop" || unified === "tool-calls";
}

/**
 * The calls that a recorded answer asks for, of those that the model's provider does not perform itself. A program may repair the input
 * of one that is no JSON.
 */
export function asksIn(response: JsonValue): readonly TurnAsk[] {
  const { content, finishReason } = resultOf(response);
  if (!isToolExecutionAllowed(finishReason)) return [];
  return content.flatMap((part) => {
    if (part.type !== "tool-call" || !isAsk(part)) return [];
    const input = inputOf(part.input);
    return [{ id: part.toolCallId, tool: part.toolName, ...(input !== undefined && { input }) }];
  });
}

/** What shows in a later prompt that it carries an answer that asks for nothing: its words. */
export function marksIn(response: JsonValue): readonly string[] {
  return marksOf(resultOf(response).content);
}

/** The marks of an answer by its content, recorded or in a later prompt. */
export function marksOf(content: readonly ContentPart[]): readonly string[] {
  if (content.some(isAsk)) return [];
  const words = content.flatMap(({ type, text = "" }) => (type === "text" ? [text] : []));
  return [`words: ${words.join("")}`];
}

interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly providerExecuted?: boolean | undefined;
}

/** Whether it asks for a call that the model's provider does not perform itself. */
function isAsk({ type, providerExecuted }: ContentPart): boolean {
  return type === "tool-call" && providerExecuted !== true;
}

/** @returns `undefined` when the model wrote no JSON: unless a program repairs it, the AI SDK tells it so and performs nothing. */
function inputOf(text: string): JsonValue | undefined {
  if (text.trim() === "") return {};
  try {
    const input = JSON.parse(text) as JsonValue;
    return isJsonObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function countOf(tokens: number | undefined): number {
  return Number.isSafeInteger(tokens) ? Math.max(tokens ?? 0, 0) : 0;
}
