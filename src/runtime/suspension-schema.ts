import type { JsonSchema, JsonValue } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { judgeUntrusted, SchemaError } from "../schema/index.js";

/** Why no answer could be held to a schema that a suspension brings, or `undefined` when one could. */
export async function whyUnusable(schema: JsonSchema): Promise<string | undefined> {
  const judged = await judgeAnswer(schema, null);
  return judged instanceof SchemaError ? judged.message : undefined;
}

/** What is wrong with an answer, or with the schema itself: a suspension's schema may have come from anywhere. */
export async function judgeAnswer(
  schema: JsonSchema,
  answer: JsonValue,
): Promise<readonly Violation[] | SchemaError> {
  try {
    return await judgeUntrusted(schema, answer);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
}
