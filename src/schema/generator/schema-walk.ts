import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";

const MAPS = ["properties", "patternProperties", "definitions"];
const ONES = ["items", "additionalItems", "additionalProperties"];
const CHOICES = ["anyOf", "oneOf", "allOf"];
const LISTS = ["items", ...CHOICES];

/** A schema with every schema directly inside it changed. Only schemas are looked at, never the values in them. */
export function mapSubschemas(schema: JsonObject, change: (inner: JsonObject) => JsonValue): JsonObject {
  const changed: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema))
    changed[keyword] = changedKeyword(keyword, value, change);
  return changed;
}

function changedKeyword(
  keyword: string,
  value: JsonValue,
  change: (inner: JsonObject) => JsonValue,
): JsonValue {
  const one = (inner: JsonValue): JsonValue => (isJsonObject(inner) ? change(inner) : inner);
  if (MAPS.includes(keyword) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]));
  }
  if (LISTS.includes(keyword) && Array.isArray(value)) return (value as readonly JsonValue[]).map(one);
  return ONES.includes(keyword) ? one(value) : value;
}

/** A schema with the schemas of its members and items changed: those directly inside it that judge another value than it does. */
export function mapInnerValues(schema: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  const changed: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const alternatives = CHOICES.includes(keyword) && Array.isArray(value);
    changed[keyword] = changedKeyword(
      keyword,
      value,
      alternatives ? (inner) => mapInnerValues(inner, change) : change,
    );
  }
  return changed;
}

/** A schema without some of its keywords. */
export function without(schema: JsonObject, ...keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** Every `$ref` in a schema. */
export function referencesIn(schema: JsonObject, found = new Set<string>()): Set<string> {
  if (typeof schema["$ref"] === "string") found.add(schema["$ref"]);
  mapSubschemas(schema, (inner) => {
    referencesIn(inner, found);
    return inner;
  });
  return found;
}
