import type { Effect } from "../contract/effect.js";
import type { JsonSchema, JsonValue } from "../contract/json.js";
import { schemaDifference } from "./schema-difference.js";

/** What a class says about its tool. */
export interface ToolFace {
  readonly name: string;
  readonly effect: Effect;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** The part of a declaration that a class can differ from. */
export interface DeclaredFace {
  readonly effect: Effect;
  readonly input_schema: JsonSchema;
  readonly output_schema?: JsonSchema;
}

/** One thing in which a class and a declaration are not the same tool. */
export interface Drift {
  readonly tool: string;
  readonly what: "effect" | "input_schema" | "output_schema" | "undeclared";
  /** Where in the schema, as `$.properties.amount_cents.type`. */
  readonly path?: string;
  readonly message: string;
}

/** Everything in which a class and its declaration are not the same tool (docs/clients.md, "Drift"); empty when they are. */
export function toolDrift(face: ToolFace, declaration: DeclaredFace): readonly Drift[] {
  const { name: tool, effect, inputSchema, outputSchema } = face;
  const drifts: Drift[] = [];
  if (effect !== declaration.effect) drifts.push(effectDrift(tool, effect, declaration.effect));
  drifts.push(...schemaDrift(tool, "input_schema", inputSchema, declaration.input_schema));
  // A declaration without an output schema lets no client close the call, so there is nothing that could be reported wrongly.
  if (declaration.output_schema !== undefined) {
    drifts.push(...schemaDrift(tool, "output_schema", outputSchema, declaration.output_schema));
  }
  return drifts;
}

/** The drift of a class whose effect is not the operator's. */
export function effectDrift(tool: string, ours: Effect, theirs: Effect): Drift {
  const message = `${tool}: effect differs: the class says "${ours}", the operator "${theirs}"`;
  return { tool, what: "effect", message };
}

function schemaDrift(
  tool: string,
  what: "input_schema" | "output_schema",
  ours: JsonSchema | undefined,
  theirs: JsonSchema,
): readonly Drift[] {
  if (ours === undefined) {
    return [{ tool, what, path: "$", message: `${tool}: ${what} is declared, and the class has none` }];
  }
  const difference = schemaDifference(ours, theirs);
  if (difference === undefined) return [];
  const { path } = difference;
  const message =
    `${tool}: ${what} differs at ${path}: ` +
    `the class has ${brief(difference.ours)}, the declaration has ${brief(difference.theirs)}`;
  return [{ tool, what, path, message }];
}

function brief(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
