import type { JsonSchema } from "../contract/json.js";
import { brief } from "./brief.js";
import { SchemaError } from "./schema-error.js";

/** The dialects of JSON Schema that are understood. */
export type Dialect = "draft-07" | "2019-09" | "2020-12";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["http://json-schema.org/draft-07/schema", "draft-07"],
  ["https://json-schema.org/draft/2019-09/schema", "2019-09"],
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
]);

/**
 * The dialect that a schema is written in, by its `$schema`; 2020-12 when it has none.
 *
 * @throws {@link SchemaError} when it names another.
 */
export function dialectOf(schema: JsonSchema): Dialect {
  if (typeof schema === "boolean" || !Object.hasOwn(schema, "$schema")) return "2020-12";
  const named = schema["$schema"];
  const dialect = typeof named === "string" ? DIALECTS.get(named.replace(/#$/, "")) : undefined;
  if (dialect !== undefined) return dialect;
  throw new SchemaError(
    ["$schema"],
    `${brief(named)} is not a dialect that is supported; write one of ${[...DIALECTS.keys()].join(", ")}, or leave it out for 2020-12`,
  );
}
