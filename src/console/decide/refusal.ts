import { BadRequestError, UnknownToolError, WrongStateError } from "../../client/wire-errors.js";
import { SalvorError } from "../../client/salvor-error.js";
import type { Violation } from "../../contract/validator.js";
import type { Decision } from "./decision.js";

/** Why a decision was not recorded. */
export interface Refusal {
  /** As a person says it. */
  readonly words: string;
  /** As the server said it, where it said anything. */
  readonly said?: { readonly code: string; readonly message: string };
  readonly violations: readonly Violation[];
}

export function refusalOf(error: unknown, decision: Decision): Refusal {
  const violations = error instanceof BadRequestError ? error.violations : [];
  const words = refusalWords(error, decision, violations);
  return error instanceof SalvorError
    ? { words, said: { code: error.code, message: error.message }, violations }
    : { words, violations };
}

function refusalWords(error: unknown, { kind }: Decision, violations: readonly Violation[]): string {
  if (violations.length > 0) return "What you gave does not fit: what is wrong stands in red beside it.";
  if (error instanceof BadRequestError)
    return "The server does not take what you gave: a rule of the operator's is against it.";
  if (error instanceof UnknownToolError)
    return "The server does not know this tool any more, so it cannot hold a result to its rules. Whoever runs the server has to declare it again.";
  if (error instanceof WrongStateError)
    return kind === "abandon"
      ? "The run cannot be abandoned as it is: its call is being made right now, or has to be settled first because others wait for it."
      : "The run is not where it was when you looked, or its call is being made right now. Look at it again.";
  return "The server did not take it. What you typed is still here.";
}
