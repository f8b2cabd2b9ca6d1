import type { JsonSchema, JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { DEFAULT_DEADLINE_MS, judgeElsewhere } from "./judge-pool.js";
import { isSmall } from "./judge.js";
import { UNTRUSTED_LIMITS } from "./limits.js";
import { boundSchema } from "./schema-bounds.js";
import type { ValidatorOptions } from "./validator.js";
import { measure } from "./value-size.js";

/**
 * Judges a value against a schema that neither the operator nor a tool's author wrote, such as the `input_schema` of a client's
 * suspension: bounded in size, compiled and judged on a worker thread under a deadline and a memory limit, never on this one.
 *
 * @returns the violations; none when the value is accepted.
 * @throws {@link SchemaError} when the schema itself is refused.
 */
export async function judgeUntrusted(
  schema: JsonSchema,
  value: JsonValue,
  options: ValidatorOptions = {},
): Promise<readonly Violation[]> {
  boundSchema(schema, UNTRUSTED_LIMITS);
  const size = measure(value);
  if ("message" in size) return [size];
  const job = {
    schemaText: JSON.stringify(schema),
    trust: "untrusted",
    allErrors: isSmall(size),
    value,
  } as const;
  return judgeElsewhere(job, options.deadlineMs ?? DEFAULT_DEADLINE_MS);
}
