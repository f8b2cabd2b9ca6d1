import { reasonOf } from "./handler-errors.js";
import type { JsonObject } from "./json.js";
import { RegistryError } from "./registry-error.js";
import { isStandardSchema, type StandardSchema } from "./standard-schema.js";
import type { ToolMistake } from "./tool-check.js";

/** A JSON Schema, or a Standard Schema: zod, valibot, arktype. */
export type OwnSchema = JsonObject | StandardSchema;

/** Schemas that a handler brings along instead of generated ones (docs/tools.md, "Schemas of your own"). */
export interface OwnSchemas<S = OwnSchema, T = OwnSchema> {
  readonly inputSchema: S;
  readonly outputSchema?: T;
  /** What models are shown of an `inputSchema` that is a Standard Schema and has no JSON Schema itself. */
  readonly inputJsonSchema?: JsonObject;
  /** The same for the `outputSchema`. */
  readonly outputJsonSchema?: JsonObject;
  /** What the tool does, when `@Tool` does not say it. */
  readonly description?: string;
}

/** `unknown` when what a schema makes of an input is what the handler takes, else the mistake. */
export type CheckInputSchema<S, I> = S extends { readonly "~standard": { readonly types?: infer Types } }
  ? Fits<Side<Types, "output">, I> extends true
    ? unknown
    : ToolMistake<"What the input schema makes of an input is not what call(ctx, input) takes: give both one type.">
  : unknown;

/** `unknown` when a schema takes what the handler answers, else the mistake. */
export type CheckOutputSchema<T, O> = T extends { readonly "~standard": { readonly types?: infer Types } }
  ? Fits<O, Side<Types, "input">> extends true
    ? unknown
    : ToolMistake<"The output schema does not take what call(ctx, input) returns: give both one type.">
  : unknown;

type Side<Types, K extends "input" | "output"> =
  NonNullable<Types> extends { readonly [Key in K]: infer Found } ? Found : unknown;

// A schema of which nothing is known fits: it is judged at run time all the same.
type Fits<From, To> = unknown extends From ? true : [From] extends [To] ? true : false;

/** One side of a tool: the JSON Schema that describes it, and the Standard Schema that judges it, when there is one. */
export interface SchemaSide {
  readonly json: unknown;
  readonly standard?: StandardSchema;
  /** Whether it was read from the artefact, a file of JSON. */
  readonly isGenerated?: boolean;
}

/**
 * What one of a handler's own schemas says.
 *
 * @throws {@link RegistryError} `invalid_schema` saying what to write.
 */
export function sideOf(
  className: string,
  side: "input" | "output",
  schema: unknown,
  json: JsonObject | undefined,
): SchemaSide {
  const option = `${side}JsonSchema`;
  const refusal = (problem: string, cause?: unknown): RegistryError =>
    new RegistryError("invalid_schema", `the ${side} schema of class ${className} ${problem}`, { cause });
  if (!isStandardSchema(schema)) {
    if (json === undefined) return { json: schema };
    throw refusal(`is no Standard Schema: leave out ${option}, which says what such a schema cannot`);
  }
  const standard: Partial<StandardSchema["~standard"]> = { ...schema["~standard"] };
  const { version, vendor = "no name" } = standard;
  if (version !== 1 || typeof standard.validate !== "function") {
    throw refusal(`has "~standard", and is no Standard Schema of version 1 with a function validate`);
  }
  if (json !== undefined) return { json, standard: schema };
  const advice =
    `models are shown a JSON Schema: write one as ${option} beside it` +
    (vendor === "valibot" ? ", or wrap it, toStandardJsonSchema(schema) of @valibot/to-json-schema" : "");
  if (typeof standard.jsonSchema?.input !== "function") {
    throw refusal(`is a Standard Schema (${vendor}) that has no JSON Schema; ${advice}`);
  }
  return {
    json: converted(standard.jsonSchema, (cause) => refusal(notSaid(vendor, cause, advice), cause)),
    standard: schema,
  };
}

function notSaid(vendor: string, cause: unknown, advice: string): string {
  return `cannot be said as a JSON Schema (${vendor}: ${reasonOf(cause)}); ${advice}`;
}

/** Both sides are recorded as they came, before the schema makes something of them: what goes in is what is described. */
function converted(
  converter: NonNullable<StandardSchema["~standard"]["jsonSchema"]>,
  refusal: (cause: unknown) => RegistryError,
): unknown {
  try {
    return converter.input({ target: "draft-2020-12" });
  } catch (first) {
    try {
      return converter.input({ target: "draft-07" });
    } catch {
      throw refusal(first);
    }
  }
}
