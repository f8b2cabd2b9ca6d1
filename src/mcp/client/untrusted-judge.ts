import type { JsonObject, JsonValue } from "../../contract/json.js";
import type { Violation } from "../../contract/validator.js";
import { judgeUntrusted, SchemaError } from "../../schema/index.js";

/** What is wrong with a value by a server's schema; a schema that is itself refused is said as a violation. */
export async function judgeByServersSchema(
  schema: JsonObject,
  value: JsonValue,
): Promise<readonly Violation[]> {
  try {
    return await judgeUntrusted(schema, value);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return [{ path: "$", message: error.message }];
  }
}

/** Why values cannot be judged by a server's schema, or `undefined` when they can. */
export async function whyNoSchema(schema: JsonObject): Promise<string | undefined> {
  try {
    await judgeUntrusted(schema, null);
    return undefined;
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
}
