import { isFailureOutput, isSuspensionOutput } from "../contract/reserved.js";
import type { JsonValue } from "../contract/json.js";

/**
 * What a completion does to the identity that its call holds: an answer settles it for good; a definite failure (the effect
 * did not happen) releases it, so that the same call may be tried again; a suspension keeps it open until the run is resumed.
 */
export function claimOutcome(output: JsonValue): "settle" | "release" | "keep" {
  if (isSuspensionOutput(output)) return "keep";
  if (!isFailureOutput(output)) return "settle";
  const { kind } = output.__salvor_error;
  return kind === "invalid_input" || kind === "handler" ? "release" : "settle";
}
