import assert from "node:assert/strict";
import { Ajv } from "ajv";
import formatsPlugin from "ajv-formats";

/** Judges values under a schema with ajv alone, as strict as it gets. */
export function ajvJudge(
  schema: unknown,
  options: { readonly strictTuples?: boolean } = {},
): (value: unknown) => boolean {
  const ajv = new Ajv({ strict: true, ownProperties: true, ...options });
  formatsPlugin.default(ajv);
  const validate = ajv.compile(schema as object);
  return (value) => validate(value);
}

/** Asserts which values a schema takes. */
export function assertJudges(
  schema: unknown,
  { accept, reject }: { readonly accept: readonly unknown[]; readonly reject: readonly unknown[] },
  options: { readonly strictTuples?: boolean } = {},
): void {
  const judge = ajvJudge(schema, options);
  for (const value of accept)
    assert.ok(judge(value), `${JSON.stringify(value)} fits ${JSON.stringify(schema)}`);
  for (const value of reject)
    assert.ok(!judge(value), `${JSON.stringify(value)} does not fit ${JSON.stringify(schema)}`);
}
