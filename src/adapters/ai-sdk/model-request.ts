import type { JsonValue } from "../../contract/json.js";
import { marksOf } from "./model-answer.js";
import type { LanguageModelV3, ModelParams } from "./model-types.js";
import { plainJson } from "./plain-json.js";

/**
 * What decides a model's answer, the same whenever a program runs again: without what is made anew for each request, and with
 * the results of tools in the order of the calls, whichever way they came to be known.
 */
export function requestOf(params: ModelParams, { provider, modelId }: LanguageModelV3): JsonValue {
  const anew = { abortSignal: undefined, headers: undefined, includeRawChunks: undefined };
  return plainJson({ provider, modelId, ...params, ...anew, prompt: inCallOrder(params.prompt) });
}

/** What a prompt carries of earlier answers: the ids of the calls whose results it holds, and the marks of those that ask for nothing. */
export function answeredIn(prompt: ModelParams["prompt"]): readonly string[] {
  return prompt.flatMap((message) => {
    if (message.role === "tool") {
      return message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []));
    }
    return message.role === "assistant" ? marksOf(message.content) : [];
  });
}

function inCallOrder(prompt: ModelParams["prompt"]): readonly unknown[] {
  let order: readonly string[] = [];
  return prompt.map((message) => {
    if (message.role === "assistant") {
      order = message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    }
    if (message.role !== "tool") return message;
    const placeOf = (part: object) => ("toolCallId" in part ? order.indexOf(String(part.toolCallId)) : -1);
    // A result of an approved call carries no options of its call, and the same result of a repeated turn does.
    const content = message.content.map((part) => ({ ...part, providerOptions: undefined }));
    return { ...message, content: content.toSorted((a, b) => placeOf(a) - placeOf(b)) };
  });
}
