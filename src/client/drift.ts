import type { Effect } from "../contract/effect.js";
import type { JsonSchema, JsonValue } from "../contract/json.js";
import type { DeclaredClientTool } from "./answers.js";
import { SalvorError } from "./salvor-error.js";
import { schemaDifference } from "./schema-difference.js";

/** What a class says about its tool. */
export interface ToolFace {
  readonly name: string;
  readonly effect: Effect;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
}

/** One thing in which a class and a declaration are not the same tool. */
export interface Drift {
  readonly tool: string;
  readonly what: "effect" | "input_schema" | "output_schema" | "undeclared";
  /** Where in the schema, as `$.properties.amount_cents.type`. */
  readonly path?: string;
  readonly message: string;
}

/**
 * A class and what the operator declared are not the same tool, so the run is not driven: a guard that checks another schema
 * than the class was written for guards nothing.
 */
export class DriftError extends SalvorError {
  override readonly name = "DriftError";
  constructor(readonly drifts: readonly Drift[]) {
    super(drifts.map(({ message }) => message).join("\n"), { code: "tool_drift" });
  }
}

/** @throws {@link DriftError} when a class and its declaration differ, or a class has none; it names each tool and place. */
export function refuseDrift(classes: readonly ToolFace[], declared: readonly DeclaredClientTool[]): void {
  const drifts = classes.flatMap((face) => driftOf(face, declared));
  if (drifts.length > 0) throw new DriftError(drifts);
}

function driftOf(face: ToolFace, declared: readonly DeclaredClientTool[]): readonly Drift[] {
  const tool = face.name;
  const declaration = declared.find(({ name }) => name === tool);
  if (declaration === undefined) {
    const names = declared.map(({ name }) => name).join(", ");
    const message = `${tool}: the server declares no such tool (it declares: ${names === "" ? "none" : names})`;
    return [{ tool, what: "undeclared", message }];
  }
  const drifts: Drift[] = [];
  if (face.effect !== declaration.effect) drifts.push(effectDrift(tool, face.effect, declaration.effect));
  drifts.push(...schemaDrift(tool, "input_schema", face.inputSchema, declaration.input_schema));
  // A declaration without an output schema lets no client close the call, so there is nothing that could be reported wrongly.
  if (declaration.output_schema !== undefined) {
    drifts.push(...schemaDrift(tool, "output_schema", face.outputSchema, declaration.output_schema));
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
