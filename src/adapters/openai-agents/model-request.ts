import type { AgentInputItem, ModelRequest } from "@openai/agents";
import type { JsonValue } from "../../contract/json.js";
import { jsonOf } from "../json-of.js";
import { markOfResponse, markOfWords } from "./model-answer.js";

/** What decides a model's answer. Left out is what only says how it is asked: signals, tracing and retries. */
export function recordedRequest(request: ModelRequest, model: string | undefined): JsonValue {
  const { systemInstructions, input, previousResponseId, conversationId, tools, outputType, handoffs } =
    request;
  const { toolsExplicitlyProvided, prompt, overridePromptModel } = request;
  // Retries are done by whoever asks: how often it may says nothing of the answer.
  const modelSettings = { ...request.modelSettings, retry: undefined };
  return jsonOf({
    model,
    systemInstructions,
    prompt,
    overridePromptModel,
    input,
    previousResponseId,
    conversationId,
    modelSettings,
    tools,
    toolsExplicitlyProvided,
    outputType,
    handoffs,
  });
}

/** The ids of the calls whose results a request carries, and the marks of the answers that it carries. */
export function answeredBy({ input, previousResponseId }: ModelRequest): readonly string[] {
  const items = typeof input === "string" ? [] : input;
  return [
    ...(previousResponseId === undefined ? [] : [markOfResponse(previousResponseId)]),
    ...items.flatMap((item) => (isResult(item) ? [item.callId] : markOfWords(item))),
  ];
}

/**
 * The same request with the results of calls in the order of the calls. A run that was interrupted puts the results that came
 * before the interruption first, and one that was not puts them in order: without this they would be two requests.
 */
export function inCallOrder(request: ModelRequest): ModelRequest {
  if (typeof request.input === "string") return request;
  const places = new Map<string, number>();
  request.input.forEach((item, at) => {
    if (item.type === "function_call") places.set(item.callId, at);
  });
  const ordered: AgentInputItem[] = [];
  let results: Result[] = [];
  const placeOf = ({ callId }: Result) => places.get(callId) ?? Infinity;
  const close = () => {
    ordered.push(...results.sort((a, b) => Math.sign(placeOf(a) - placeOf(b)) || 0));
    results = [];
  };
  for (const item of request.input) {
    if (isResult(item)) results.push(item);
    else {
      close();
      ordered.push(item);
    }
  }
  close();
  return { ...request, input: ordered };
}

/** The results of calls that a request carries. */
export function resultsIn({ input }: ModelRequest): readonly Result[] {
  return typeof input === "string" ? [] : input.filter(isResult);
}

type Result = Extract<AgentInputItem, { type: "function_call_result" }>;

function isResult(item: AgentInputItem): item is Result {
  return item.type === "function_call_result";
}
