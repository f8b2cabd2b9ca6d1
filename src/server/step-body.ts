import type { JsonObject, JsonValue } from "../contract/json.js";
import type { Envelope } from "../log/events.js";
import type { JsonPath } from "../log/json-path.js";
import { isRandomValue } from "../log/revive-envelope.js";
import { ApiError, schemaRefused } from "./api-error.js";
import { toApiError } from "./error-mapping.js";
import { readEnvelope } from "./event-body.js";
import {
  COMPLETION,
  INTENT,
  MODEL_COMPLETION,
  MODEL_INTENT,
  type CompletionBody,
  type IntentBody,
  type ModelCompletionBody,
  type ModelIntentBody,
} from "./shapes.js";

/** One of several things that a driver does in one request. */
export type Step =
  | { readonly kind: "tool_intent"; readonly body: IntentBody }
  | { readonly kind: "tool_completion"; readonly body: CompletionBody }
  | { readonly kind: "model_intent"; readonly body: ModelIntentBody }
  | { readonly kind: "model_completion"; readonly body: ModelCompletionBody }
  /** Stamped when it is applied. */
  | { readonly kind: "event"; readonly body: Envelope };

const KINDS = ["tool_intent", "tool_completion", "model_intent", "model_completion", "event"] as const;

/** Where a body of steps may hold an unsigned 64-bit integer. */
export function isRandomValueInSteps(path: JsonPath): boolean {
  return path[0] === "steps" && path[2] === "event" && isRandomValue(path.slice(3));
}

/**
 * Reads the steps of a request, each of the shape that its own endpoint asks for.
 *
 * @throws ApiError as that endpoint does, with `details.step`.
 */
export function readSteps(steps: readonly JsonObject[]): readonly Step[] {
  return steps.map((step, at) => inStep(at, () => readStep(step)));
}

/** Whether a step resumes the run, which only an operator may where one is configured. */
export function resumes({ kind, body }: Step): boolean {
  return kind === "event" && body.event.kind === "Resumed";
}

/** What a step answers; its refusal says which step it is. */
export function inStep<T>(at: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusedStep(at, error);
  }
}

/** A refusal that says which step was refused, counted from 0. What is no refusal of that step is left as it is. */
export function refusedStep(at: number, error: unknown): unknown {
  const { code, status, message, details, headers } = toApiError(error);
  if (status >= 500) return error;
  return new ApiError(code, `steps[${at}]: ${message}`, {
    cause: error,
    details: { ...details, step: at },
    headers,
  });
}

function readStep(step: JsonObject): Step {
  const [kind, ...more] = KINDS.filter((name) => Object.hasOwn(step, name));
  if (kind === undefined || more.length > 0) {
    throw schemaRefused("the step", [{ path: "$", message: `must hold exactly one of ${KINDS.join(", ")}` }]);
  }
  const body = step[kind] as JsonValue;
  switch (kind) {
    case "tool_intent":
      return { kind, body: INTENT.check(body, kind) };
    case "tool_completion":
      return { kind, body: COMPLETION.check(body, kind) };
    case "model_intent":
      return { kind, body: MODEL_INTENT.check(body, kind) };
    case "model_completion":
      return { kind, body: MODEL_COMPLETION.check(body, kind) };
    case "event":
      return { kind, body: readEnvelope(body as JsonObject, kind, "") };
  }
}
