import type { ApiError } from "./api-error.js";
import { ModelFailure } from "./model/model-failure.js";

/** What a log says of an error. */
export interface ErrorFacts {
  readonly type: string;
  readonly code?: string;
  /** What it says. Not `message`: a logger would take these facts for an error, and its type for `Object`. */
  readonly text?: string;
  /** Where it was thrown, without its message. */
  readonly at: readonly string[];
  readonly cause?: ErrorFacts;
}

/** How deep a chain of causes is followed. */
const MAX_CAUSES = 4;

/**
 * An error as a log may hold it: never its other members, which may be what was sent or answered.
 *
 * @param told whether its message may be told: that of a tool is the tool's own text.
 */
export function errorFacts(thrown: unknown, told: boolean, depth = 0): ErrorFacts {
  if (!(thrown instanceof Error)) {
    return { type: typeof thrown, ...(told && { text: String(thrown) }), at: [] };
  }
  const { name, message, stack = "", cause } = thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  return {
    type: name,
    ...(typeof code === "string" && { code }),
    ...(told && { text: message }),
    at: stack
      .split("\n")
      .filter((line) => /^ {4}at /.test(line))
      .map((line) => line.trim()),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: errorFacts(cause, told, depth + 1) }),
  };
}

/**
 * What a log says of an answer that is no success. What a tool or a model said about its failure is theirs; what an executor says of
 * a model's, is not.
 */
export function refusalFacts(error: ApiError, logPayloads: boolean): ErrorFacts {
  const cause = error.cause ?? error;
  return errorFacts(cause, error.status !== 502 || logPayloads || cause instanceof ModelFailure);
}
