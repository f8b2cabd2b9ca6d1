import type { Effect } from "../contract/effect.js";
import type { ToolAnnotations } from "../contract/models/tool-annotations.js";

export interface EffectOptions {
  /** What the operator says the tool is. It wins over every hint. */
  readonly override?: Effect;
  /** Whether the server's hints count at all; true by default. Without them, and without an override, a tool is a `write`. */
  readonly trustAnnotations?: boolean;
}

/**
 * The effect of a tool that an MCP server offers: the operator's word, else the server's own hints, else `write`, which is
 * the one guess that cannot make a side effect happen twice.
 *
 * A hint counts only when it is `true`: MCP's defaults for absent hints are claims of nobody. `destructiveHint` says how bad a
 * change is, not whether it may be repeated, so it decides nothing (Model Context Protocol 2025-06-18, "ToolAnnotations").
 */
export function effectOf(
  annotations: ToolAnnotations | undefined,
  { override, trustAnnotations = true }: EffectOptions = {},
): Effect {
  if (override !== undefined) return override;
  if (annotations === undefined || !trustAnnotations) return "write";
  if (claims(annotations, "readOnlyHint")) return "read";
  return claims(annotations, "idempotentHint") ? "idempotent" : "write";
}

/** Hints come from another party's JSON, so only a member of the object itself, and only `true`, is a claim. */
function claims(annotations: ToolAnnotations, hint: "readOnlyHint" | "idempotentHint"): boolean {
  return Object.hasOwn(annotations, hint) && annotations[hint] === true;
}
