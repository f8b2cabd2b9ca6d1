import { InvalidInput, MissingIdempotencyKey } from "../../contract/tool-errors.js";
import { CallInFlight, IdempotencyKeyCollision } from "../../runtime/call-errors.js";
import { Divergence } from "../../runtime/divergence.js";
import { LineFull } from "../../runtime/hosted/bounded-line.js";
import { JudgingTimeout, Stopping } from "../../runtime/hosted/hosted-errors.js";
import { InputRefused } from "../../runtime/run-errors.js";
import { RunErased } from "../../store/errors.js";
import type { CallReply } from "./served-tools.js";

type Refused = Extract<CallReply, { readonly kind: "refused" }>;

export function refused(code: string, message: string): Refused {
  return { kind: "refused", code, message };
}

/** What is answered about an error after which nothing was performed, or `undefined` for any other. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof InvalidInput || error instanceof InputRefused) {
    return { ...refused(error.code, error.message), violations: error.violations };
  }
  if (error instanceof LineFull || error instanceof JudgingTimeout || error instanceof Stopping) {
    return refused(error.code, `${error.message}: nothing was performed; ask again later`);
  }
  if (error instanceof Divergence) {
    return refused(error.code, `${error.message}: one name, one call; nothing was performed`);
  }
  if (
    error instanceof MissingIdempotencyKey ||
    error instanceof CallInFlight ||
    error instanceof IdempotencyKeyCollision ||
    error instanceof RunErased
  ) {
    return refused(error.code, error.message);
  }
  return undefined;
}
