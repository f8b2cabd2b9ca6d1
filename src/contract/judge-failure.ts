import { causeChain } from "./cause-chain.js";
import type { Effect } from "./effect.js";
import { UnknownOutcomeError } from "./handler-errors.js";
import { CallTimeout } from "./perform-call.js";
import type { FailureKind } from "./reserved.js";
import { HandlerFailed, InvalidInput, MissingIdempotencyKey, OutputSerialization } from "./tool-errors.js";

/** What a call that ended badly came to. */
export type FailureVerdict =
  /** It may be recorded as failed. */
  | { readonly definite: true; readonly kind: FailureKind; readonly message: string; readonly cause: unknown }
  /** A `write` whose effect may have happened: nothing may be recorded. `problem` goes on from "it ...". */
  | { readonly definite: false; readonly problem: string; readonly cause: unknown };

/** Judges what the last attempt at a call threw. */
export function judgeFailure(effect: Effect, error: unknown): FailureVerdict {
  // Refused before the handler ran, or the author says that nothing happened: definite, whatever the effect.
  if (error instanceof InvalidInput || error instanceof MissingIdempotencyKey) {
    return failure("invalid_input", error);
  }
  if (error instanceof HandlerFailed && (error.definite || effect !== "write")) {
    return failure("handler", error.cause);
  }
  if (effect !== "write") {
    return failure(error instanceof OutputSerialization ? "output_serialization" : "handler", error);
  }
  const cause = error instanceof UnknownOutcomeError ? error.cause : error;
  return { definite: false, problem: problemOf(cause), cause };
}

function problemOf(cause: unknown): string {
  if (cause instanceof CallTimeout) return `took longer than ${cause.timeoutMs} ms`;
  if (cause instanceof OutputSerialization) return `ran, and ${cause.message}`;
  return `threw: ${causeChain(cause)}`;
}

/** The longest failure message that is recorded, in UTF-16 units. */
const MESSAGE_CAP = 4_000;

function failure(kind: FailureKind, cause: unknown): FailureVerdict {
  const message = causeChain(cause).slice(0, MESSAGE_CAP).toWellFormed();
  return { definite: true, kind, message, cause };
}
