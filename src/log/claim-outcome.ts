import { isJsonObject, ownValue, type JsonValue } from "../contract/json.js";
import { isFailureOutput, isSuspensionOutput } from "../contract/reserved.js";

/**
 * What a completion does to the identity that its call holds: an answer settles it for good; a definite failure (the effect
 * did not happen) releases it, so that the same call may be tried again; a suspension keeps it open until the run is resumed.
 * A failure that does not say clearly that it is a definite one settles it: held for too long is safe, free too early is not.
 */
export function claimOutcome(output: JsonValue): "settle" | "release" | "keep" {
  if (isSuspensionOutput(output)) return "keep";
  if (!isFailureOutput(output)) return "settle";
  // A stored log may hold anything under the reserved key.
  const failure: JsonValue = output.__salvor_error;
  const kind = isJsonObject(failure) ? ownValue(failure, "kind") : undefined;
  return kind === "invalid_input" || kind === "handler" ? "release" : "settle";
}
