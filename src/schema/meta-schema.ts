import type { ErrorObject } from "ajv";
import { isJsonObject, type JsonSchema, type JsonValue } from "../contract/json.js";
import { brief } from "./brief.js";
import { metaAjv } from "./ajv-instance.js";
import type { Dialect } from "./dialect.js";
import { isPlainSchema } from "./plain-schema.js";
import { pathOf } from "./pointer.js";
import { SchemaError } from "./schema-error.js";
import { expectation } from "./expectation.js";

const META: Readonly<Record<Dialect, string>> = {
  "draft-07": "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/**
 * Checks that a schema is one: that each keyword has a value of the kind that its dialect wants.
 *
 * @throws {@link SchemaError} naming the deepest place that is wrong.
 */
export function checkAgainstMeta(schema: JsonSchema, dialect: Dialect): void {
  if (isPlainSchema(schema)) return;
  const validate = metaAjv(dialect).getSchema(META[dialect]);
  if (validate === undefined) throw new TypeError(`no meta-schema for ${dialect}`);
  if (validate(schema)) return;
  const error = deepest(validate.errors ?? []);
  const value = schema as JsonValue;
  const path = error === undefined ? [] : pathOf(value, error.instancePath);
  if (error === undefined) throw new SchemaError(path, "not a JSON Schema");
  if (error.keyword === "type" && Array.isArray(error.schema) && !isJsonObject(error.data)) {
    throw new SchemaError(
      path,
      `expected a schema, which is an object or true or false; found ${brief(error.data as JsonValue)}`,
    );
  }
  throw new SchemaError(path, expectation(error));
}

function deepest(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const depth = (error: ErrorObject) => error.instancePath.split("/").length;
  return errors.reduce<ErrorObject | undefined>(
    (best, error) => (best === undefined || depth(error) > depth(best) ? error : best),
    undefined,
  );
}
