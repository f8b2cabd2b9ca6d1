import type { JsonValue } from "../contract/json.js";
import { envelopeJson } from "../log/envelope-json.js";
import type { Envelope } from "../log/events.js";
import type { IntentAnswer, ModelIntentAnswer } from "./answers.js";
import type { Ask, ModelAsk, ModelReply } from "./client-options.js";
import { bodyText, eventsText } from "./json-text.js";
import { readAppended, readCompleted, readIntent, readModelIntent } from "./readers.js";
import { LIST, ShapeProblem, shaped } from "./shape.js";
import type { Report } from "./wire-errors.js";

/** One of several things that a driver says in one request, each as its own method takes it. */
export type DriverStep =
  | { readonly toolIntent: Ask }
  | { readonly toolCompletion: { readonly seq: number; readonly report: Report } }
  | { readonly modelIntent: ModelAsk }
  | { readonly modelCompletion: { readonly seq: number } & ModelReply }
  | { readonly event: Envelope };

/** What a step is answered with: what its own method answers. */
export type StepAnswer<S extends DriverStep = DriverStep> = S extends { readonly toolIntent: unknown }
  ? IntentAnswer
  : S extends { readonly modelIntent: unknown }
    ? ModelIntentAnswer
    : S extends { readonly event: unknown }
      ? readonly number[]
      : number;

/** What steps are answered with, each in its place. */
export type StepAnswers<S extends readonly DriverStep[]> = { readonly [K in keyof S]: StepAnswer<S[K]> };

/** The JSON text of a body of steps. */
export function stepsText(steps: readonly DriverStep[]): string {
  return `{"steps":[${steps.map((step, at) => stepText(step, `steps[${at}]`)).join(",")}]}`;
}

function stepText(step: DriverStep, what: string): string {
  if ("toolIntent" in step) {
    const { seq, tool, input } = step.toolIntent;
    return `{"tool_intent":${bodyText({ seq, tool, input }, what)}}`;
  }
  if ("toolCompletion" in step) {
    const { seq, report } = step.toolCompletion;
    return `{"tool_completion":${bodyText({ seq, ...report }, what)}}`;
  }
  if ("modelIntent" in step) {
    const { seq, requestHash: request_hash, requestBody: request_body } = step.modelIntent;
    return `{"model_intent":${bodyText({ seq, request_hash, request_body }, what)}}`;
  }
  if ("modelCompletion" in step) {
    const { seq, response, usage } = step.modelCompletion;
    return `{"model_completion":${bodyText({ seq, response, usage }, what)}}`;
  }
  // For its checks: what JSON would not carry is refused.
  eventsText([step.event]);
  return `{"event":${envelopeJson(step.event)}}`;
}

/** Reads one answer a step. */
export function readSteps<S extends readonly DriverStep[]>(body: JsonValue, steps: S): StepAnswers<S> {
  const results = shaped(body, "answer", { results: LIST })["results"] as readonly JsonValue[];
  if (results.length !== steps.length) throw new ShapeProblem("answer.results has not one result a step");
  return steps.map((step, at) => readStep(step, results[at] ?? null)) as unknown as StepAnswers<S>;
}

function readStep(step: DriverStep, result: JsonValue): StepAnswer {
  if ("toolIntent" in step) return readIntent(result, step.toolIntent.seq);
  if ("modelIntent" in step) return readModelIntent(result, step.modelIntent.seq);
  if ("event" in step) return readAppended(result, [step.event]);
  return readCompleted(result, "toolCompletion" in step ? step.toolCompletion.seq : step.modelCompletion.seq);
}
