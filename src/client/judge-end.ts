import type { CallOutcome } from "../contract/dyn-tool.js";
import type { Effect } from "../contract/effect.js";
import type { JsonValue } from "../contract/json.js";
import { judgeFailure } from "../contract/judge-failure.js";
import type { Failed } from "../contract/perform-call.js";
import { OutputSerialization } from "../contract/tool-errors.js";
import type { Violation } from "../contract/validator.js";
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
  if (end.outcome === "failed") return endingOf(call, effect, end.error);
  if (end.outcome === "suspend") {
    return { report: { suspend: { reason: end.reason, input_schema: end.inputSchema } } };
  }
  const violations = violationsOf(end.output);
  if (violations.length === 0) return { report: { output: end.output } };
  if (effect === "write") throw new OutputRefusedError(call, violations, end.output);
  return endingOf(call, effect, new OutputSerialization(call.tool, violations));
}

function endingOf(call: CallName, effect: Effect, error: unknown): Ending {
  const verdict = judgeFailure(effect, error);
  const { cause } = verdict;
  if (verdict.definite) return { report: { error: { message: verdict.message, kind: verdict.kind } }, cause };
  if (cause instanceof OutputSerialization) {
    throw new OutputRefusedError(call, cause.violations, undefined, cause);
  }
  throw new UnknownOutcomeError(call, `it ${verdict.problem}`, cause);
}
