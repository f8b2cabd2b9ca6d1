import { Usage, type AgentInputItem, type ModelResponse, type StreamEvent } from "@openai/agents";
import type { ModelReply, TurnAsk } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import { jsonOf } from "../json-of.js";

/** The event that carries a whole answer at the end of a stream. */
export type DoneEvent = Extract<StreamEvent, { type: "response_done" }>;

/** A model's answer as it is recorded: one form for both ways of asking. */
interface RecordedAnswer {
  readonly responseId?: string;
  readonly requestId?: string;
  readonly output: DoneEvent["response"]["output"];
  readonly usage: DoneEvent["response"]["usage"];
  readonly providerData?: Record<string, unknown>;
}

export function replyOf({ responseId, requestId, output, usage, providerData }: ModelResponse): ModelReply {
  const { inputTokens: input_tokens, outputTokens: output_tokens } = usage;
  const response = jsonOf({ responseId, requestId, output, usage, providerData });
  return { response, usage: { input_tokens, output_tokens } };
}

export function replyOfStream({ response: done }: DoneEvent): ModelReply {
  const { id: responseId, requestId, output, usage, providerData } = done;
  return replyOf({ responseId, output, usage: usageOf(usage), ...definedOf({ requestId, providerData }) });
}

/** The framework's own answer, made of the recorded one. */
export function responseOf(recorded: JsonValue): ModelResponse {
  const { usage, ...rest } = structuredClone(recorded) as unknown as RecordedAnswer;
  return { ...rest, usage: usageOf(usage) };
}

/** The end of a stream, made of the recorded answer; what else the event said live is kept. */
export function doneEventOf(recorded: JsonValue, live?: DoneEvent): DoneEvent {
  const { responseId = "", ...rest } = structuredClone(recorded) as unknown as RecordedAnswer;
  return { ...live, type: "response_done", response: { id: responseId, ...rest } };
}

/** A stream that says what a recorded answer says. The provider's own events are not among them: they are not recorded. */
export function* eventsOf(recorded: JsonValue): Iterable<StreamEvent> {
  yield { type: "response_started" };
  for (const item of answerOf(recorded).output) {
    if (!("role" in item)) continue;
    for (const part of item.content) {
      if (part.type === "output_text") yield { type: "output_text_delta", delta: part.text };
    }
  }
  yield doneEventOf(recorded);
}

/** Which calls a recorded answer asks for, be it of the run's tools or not. The framework tells the model when its arguments are no JSON. */
export function asksOf(recorded: JsonValue): readonly TurnAsk[] {
  return answerOf(recorded).output.flatMap((item) =>
    item.type === "function_call"
      ? [{ id: item.callId, tool: item.name, input: inputOf(item.arguments) }]
      : [],
  );
}

/** By what a request shows that it carries a recorded answer, besides the ids of its calls. */
export function marksOf(recorded: JsonValue): readonly string[] {
  const { responseId, output } = answerOf(recorded);
  const isOfWords = output.every(({ type }) => type !== "function_call");
  return [
    ...(responseId === undefined ? [] : [markOfResponse(responseId)]),
    ...(isOfWords ? output.flatMap(markOfWords) : []),
  ];
}

/** The mark of an answer that a request names, so that the provider has it before the request's input. */
export function markOfResponse(id: string): string {
  return `response: ${id}`;
}

/** The mark of what a model said, if this is that. */
export function markOfWords(item: AgentInputItem): readonly string[] {
  if (!("role" in item) || item.role !== "assistant" || !Array.isArray(item.content)) return [];
  const words = item.content
    .map((part) => (part.type === "output_text" ? part.text : part.type === "refusal" ? part.refusal : ""))
    .join("");
  return words === "" ? [] : [`words: ${words}`];
}

/** A call's input; `undefined` when its arguments are no JSON. */
export function inputOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function usageOf(usage: RecordedAnswer["usage"]): Usage {
  return new Usage(usage as ConstructorParameters<typeof Usage>[0]);
}

function answerOf(recorded: JsonValue): RecordedAnswer {
  return recorded as unknown as RecordedAnswer;
}

function definedOf<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
