import { pathText } from "./json-path.js";
import { reasonOf } from "./handler-errors.js";
import { isPromise } from "./is-promise.js";
import type { JsonValue } from "./json.js";
import { copyInput } from "./plain-json.js";
import type { StandardSchema } from "./standard-schema.js";
import type { Violation } from "./validator.js";

/** What a Standard Schema makes of a value. */
export type StandardVerdict =
  | { readonly accepted: true; readonly value: unknown }
  | { readonly accepted: false; readonly violations: readonly Violation[] };

const MAX_VIOLATIONS = 100;
const MAX_STEPS = 128;
const MAX_MESSAGE = 1_000;

/**
 * Judges a value by a Standard Schema, which is the author's code: one that throws, or answers what no Standard Schema does,
 * accepts nothing.
 *
 * @throws the signal's reason when the call is given up before the schema has answered.
 */
export async function standardVerdict(
  schema: StandardSchema,
  value: JsonValue,
  signal?: AbortSignal,
): Promise<StandardVerdict> {
  let answer: unknown;
  try {
    // Its own copy: a schema may change what it is given.
    answer = schema["~standard"].validate(copyInput(value));
    if (isPromise(answer)) answer = await settled(answer, signal);
    return verdictOf(answer);
  } catch (error) {
    if (error instanceof GivenUp) throw error.cause;
    return refusal(`its schema threw: ${reasonOf(error).slice(0, MAX_MESSAGE)}`);
  }
}

/** The call was given up first. Not the reason itself: a schema may throw that too. */
class GivenUp extends Error {}

function settled(answer: PromiseLike<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(new GivenUp("", { cause: signal?.reason }));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    Promise.resolve(answer)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener("abort", onAbort));
  });
}

function verdictOf(answer: unknown): StandardVerdict {
  if (typeof answer !== "object" || answer === null) return refusal(NONSENSE);
  const { issues } = answer as { readonly issues?: unknown };
  // The standard: whatever is falsy there says that the value is accepted.
  if (issues) return { accepted: false, violations: violationsOf(issues) };
  return "value" in answer ? { accepted: true, value: answer.value } : refusal(NONSENSE);
}

const NONSENSE = "its schema answered neither a value nor issues, which no Standard Schema does";

function violationsOf(issues: unknown): readonly Violation[] {
  if (!Array.isArray(issues) || issues.length === 0) {
    return [{ path: "$", message: "its schema refused it and said nothing about why" }];
  }
  return (issues as readonly unknown[]).slice(0, MAX_VIOLATIONS).map(violationOf);
}

function violationOf(issue: unknown): Violation {
  const { message, path } = (issue ?? {}) as { readonly message?: unknown; readonly path?: unknown };
  const said = typeof message === "string" && message !== "" ? message : "does not match the schema";
  return { path: pathText(stepsOf(path)), message: said.slice(0, MAX_MESSAGE).toWellFormed() };
}

function stepsOf(path: unknown): readonly (string | number)[] {
  if (!Array.isArray(path)) return [];
  return (path as readonly unknown[]).slice(0, MAX_STEPS).map((segment) => {
    const key = typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment;
    return typeof key === "number" ? key : String(key).toWellFormed();
  });
}

function refusal(message: string): StandardVerdict {
  return { accepted: false, violations: [{ path: "$", message }] };
}
