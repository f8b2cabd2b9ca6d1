import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";

/** Keywords whose members are schemas under names. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "definitions",
  "$defs",
  "dependentSchemas",
]);

/** Keywords whose value is data, in which nothing is a schema. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"]);

/** A schema of an older draft as 2020-12 says it: tuples are `prefixItems` there. Schemas of 2020-12 stay as they are. */
export function asDraft2020(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    if (DATA.has(keyword)) return [[keyword, value]];
    if (MAPS.has(keyword) && isJsonObject(value)) {
      return [
        [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))],
      ];
    }
    if (!Array.isArray(ownValue(schema, "items"))) return [[keyword, inner(value)]];
    if (keyword === "items") return [["prefixItems", inner(value)]];
    return [[keyword === "additionalItems" ? "items" : keyword, inner(value)]];
  });
  return Object.fromEntries(entries);
}

function inner(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(inner);
  return isJsonObject(value) ? asDraft2020(value) : value;
}
