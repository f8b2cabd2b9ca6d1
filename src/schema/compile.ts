import type { ErrorObject, ValidateFunction } from "ajv";
import type { JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { freshAjv, type Reading } from "./ajv-instance.js";
import type { CheckedSchema } from "./check-schema.js";
import { MAX_VIOLATIONS } from "./limits.js";
import { SchemaError } from "./schema-error.js";
import { violationOf } from "./violation-of.js";

/** Judges on this thread, without a deadline. Never throws: what cannot be judged to the end is refused. */
export type DirectJudge = (value: JsonValue) => readonly Violation[];

/**
 * Compiles a checked schema.
 *
 * @throws {@link SchemaError} when the compiler refuses it.
 */
export function compile(checked: CheckedSchema, reading: Reading): DirectJudge {
  const validate = compileWithAjv(checked, reading);
  return (value) => judgeWith(validate, value);
}

function compileWithAjv(checked: CheckedSchema, reading: Reading): ValidateFunction {
  try {
    return freshAjv(checked, reading).compile(checked.schema);
  } catch (cause) {
    const why = cause instanceof RangeError ? "it is too large to compile" : (cause as Error).message;
    throw new SchemaError([], `does not compile: ${why}`, { cause });
  }
}

const NONE: readonly Violation[] = Object.freeze([]);

function judgeWith(validate: ValidateFunction, value: JsonValue): readonly Violation[] {
  try {
    if (validate(value)) return NONE;
    const violations = report(value, validate.errors ?? []);
    // Errors hold the value, which may be large.
    validate.errors = null;
    return violations;
  } catch (cause) {
    validate.errors = null;
    const why = cause instanceof Error ? cause.message : String(cause);
    return [{ path: "$", message: `expected a value that can be judged, but judging failed: ${why}` }];
  }
}

function report(value: JsonValue, errors: readonly ErrorObject[]): readonly Violation[] {
  const violations = errors.slice(0, MAX_VIOLATIONS).map((error) => violationOf(value, error));
  return violations.length > 0 ? violations : [{ path: "$", message: "does not match the schema" }];
}
