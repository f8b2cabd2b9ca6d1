import type { CallOutcome } from "../contract/dyn-tool.js";
import type { Effect } from "../contract/effect.js";
import { UnknownOutcomeError as EndedUnknown } from "../contract/handler-errors.js";
import type { JsonValue } from "../contract/json.js";
import type { FailureKind } from "../contract/reserved.js";
import {
  HandlerFailed,
  InvalidInput,
  MissingIdempotencyKey,
  OutputSerialization,
} from "../contract/tool-errors.js";
import type { Violation } from "../contract/validator.js";
import { CallTimeout, type Failed } from "./attempt.js";
import { causeChain } from "./call-errors.js";
import { OutputRefusedError, UnknownOutcomeError, type CallName } from "./run-errors.js";
import type { Report } from "./wire-errors.js";

/** How a call ended, as it is reported. */
export interface Ending {
  readonly report: Report;
  /** What the tool threw, when it failed. */
  readonly cause?: unknown;
}

/**
 * What is to be reported of a call that was performed.
 *
 * @param violationsOf what an output fails to repeat from the call's input.
 * @throws {@link OutputRefusedError} or {@link UnknownOutcomeError} when it is a `write` of which nothing may be reported.
 */
export function judgeEnd(
  call: CallName,
  effect: Effect,
  end: CallOutcome | Failed,
  violationsOf: (output: JsonValue) => readonly Violation[],
): Ending {
  if (end.outcome === "failed") return judgeFailure(call, effect, end.error);
  if (end.outcome === "suspend") {
    return { report: { suspend: { reason: end.reason, input_schema: end.inputSchema } } };
  }
  const violations = violationsOf(end.output);
  if (violations.length === 0) return { report: { output: end.output } };
  if (effect === "write") throw new OutputRefusedError(call, violations, end.output);
  return failure("output_serialization", new OutputSerialization(call.tool, violations));
}

function judgeFailure(call: CallName, effect: Effect, error: unknown): Ending {
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
  const cause = error instanceof EndedUnknown ? error.cause : error;
  if (cause instanceof OutputSerialization) {
    throw new OutputRefusedError(call, cause.violations, undefined, cause);
  }
  const problem =
    error instanceof CallTimeout ? `took longer than ${error.timeoutMs} ms` : `threw: ${causeChain(cause)}`;
  throw new UnknownOutcomeError(call, `it ${problem}`, cause);
}

/** The longest failure message that is reported, in UTF-16 units. */
const MESSAGE_CAP = 4_000;

function failure(kind: FailureKind, cause: unknown): Ending {
  const message = causeChain(cause).slice(0, MESSAGE_CAP).toWellFormed();
  return { report: { error: { message, kind } }, cause };
}
