import type { JsonSchema } from "../contract/json.js";
import type { Judge, Validator } from "../contract/validator.js";
import { makeJudge } from "./judge.js";
import { DEFAULT_DEADLINE_MS } from "./judge-pool.js";

export interface ValidatorOptions {
  /** How long one value is judged before it is refused, in milliseconds; 1000 by default. */
  readonly deadlineMs?: number;
}

/**
 * The validator for schemas that tools' authors wrote or generated. A schema is checked when it is given and compiled when it
 * is first used. Unknown keywords are ignored, as the standard says (docs/tools.md).
 */
export function createValidator(options: ValidatorOptions = {}): Validator {
  const { deadlineMs = DEFAULT_DEADLINE_MS } = options;
  const compile = (schema: JsonSchema, text?: string) => makeJudge(schema, "author", deadlineMs, text);
  return { compile: Object.assign(compile, { keepsNoSchema: true }) };
}

/**
 * Compiles a schema that an operator declared. Strict: an unknown keyword or format is refused, because a guard that is
 * misspelled would guard nothing (docs/declarations.md).
 *
 * @throws {@link SchemaError} naming the place in the schema.
 */
export function compileStrict(schema: JsonSchema, options: ValidatorOptions = {}): Judge {
  return makeJudge(schema, "operator", options.deadlineMs ?? DEFAULT_DEADLINE_MS);
}
