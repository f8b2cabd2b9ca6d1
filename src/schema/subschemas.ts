import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";

/** How a subschema meets the value of its parent: the same value, one named member, any number of members, or not at all. */
export type Reach = "same" | "member" | "many" | "none";

export interface Subschema {
  readonly path: JsonPath;
  readonly reach: Reach;
  readonly schema: JsonSchema;
}

const ONE: Readonly<Record<string, Reach>> = {
  additionalItems: "many",
  additionalProperties: "many",
  contains: "many",
  contentSchema: "none",
  else: "same",
  if: "same",
  items: "many",
  not: "same",
  propertyNames: "many",
  then: "same",
  unevaluatedItems: "many",
  unevaluatedProperties: "many",
};
const LISTS: Readonly<Record<string, Reach>> = {
  allOf: "same",
  anyOf: "same",
  items: "member",
  oneOf: "same",
  prefixItems: "member",
};
const MAPS: Readonly<Record<string, Reach>> = {
  $defs: "none",
  definitions: "none",
  dependencies: "same",
  dependentSchemas: "same",
  patternProperties: "many",
  properties: "member",
};

/** The schemas that stand directly inside a schema, in the order they are written. What is no schema there is left out. */
export function subschemas(schema: JsonObject): readonly Subschema[] {
  const found: Subschema[] = [];
  const add = (path: JsonPath, reach: Reach | undefined, value: JsonValue) => {
    if (reach !== undefined && (typeof value === "boolean" || isJsonObject(value)))
      found.push({ path, reach, schema: value });
  };
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value)) {
      (value as readonly JsonValue[]).forEach((item, at) => {
        add([keyword, at], own(LISTS, keyword), item);
      });
    } else if (isJsonObject(value) && Object.hasOwn(MAPS, keyword)) {
      for (const [key, item] of Object.entries(value)) add([keyword, key], MAPS[keyword], item);
    } else add([keyword], own(ONE, keyword), value);
  }
  return found;
}

function own(table: Readonly<Record<string, Reach>>, keyword: string): Reach | undefined {
  return Object.hasOwn(table, keyword) ? table[keyword] : undefined;
}
