import { Usage, type ModelResponse, type StreamEvent } from "@openai/agents";
import type { ModelReply, ToolAsk } from "../../client/index.js";
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

/** Which calls of tools a recorded answer asks for. Arguments that are not JSON ask for nothing: the framework tells the model so. */
export function asksOf(recorded: JsonValue): readonly ToolAsk[] {
  return answerOf(recorded).output.flatMap((item) => {
    if (item.type !== "function_call") return [];
    const input = inputOf(item.arguments);
    return input === undefined ? [] : [{ id: item.callId, tool: item.name, input }];
  });
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
