import type { Effect } from "../contract/effect.js";
import type { ToolAnnotations } from "../contract/models/tool-annotations.js";
import { effectOf, type EffectOptions } from "./effect-of.js";

/** The effect of a tool that a server offers, and what it follows from. */
export interface JudgedEffect {
  readonly effect: Effect;
  /** For a person: `the operator says so`, `the server says readOnlyHint`. */
  readonly why: string;
}

/** {@link effectOf}, with the reason. */
export function judgedEffect(annotations: ToolAnnotations | undefined, options: EffectOptions): JudgedEffect {
  return { effect: effectOf(annotations, options), why: reason(annotations, options) };
}

function reason(annotations: ToolAnnotations | undefined, options: EffectOptions): string {
  const { override, trustAnnotations = true } = options;
  if (override !== undefined) return "the operator says so";
  const said = effectOf(annotations);
  if (said === "write") return "nobody says that it may be repeated";
  if (!trustAnnotations) return `the server's hints are not trusted (it hints ${said})`;
  return `the server says ${said === "read" ? "readOnlyHint" : "idempotentHint"}`;
}
