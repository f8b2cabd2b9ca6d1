import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { canonicalJson } from "../../log/canonical-json.js";
import { mapSubschemas, without } from "./schema-walk.js";

/** A schema as the generator gives it, in the one form that this project writes. Says the same. */
export function tidy(schema: JsonObject): JsonObject {
  return tidyOne(mapSubschemas(schema, tidy));
}

function tidyOne(schema: JsonObject): JsonObject {
  const { type } = schema;
  let tidied: JsonObject = schema;
  if (Array.isArray(type)) tidied = spreadTypes(schema, type as readonly string[]);
  if (type === "object") tidied = closeObject(schema);
  if (type === "array" && schema["maxItems"] === 0) tidied = without(schema, "minItems", "items");
  else if (type === "array" && Array.isArray(schema["items"]))
    tidied = tidyTuple(schema, schema["items"] as readonly JsonValue[]);
  if (Array.isArray(tidied["enum"]))
    tidied = { ...tidied, enum: sorted(tidied["enum"] as readonly JsonValue[]) };
  return flatUnion(tidied);
}

/** Strict validators take a list of types only for "or null". */
function spreadTypes(schema: JsonObject, types: readonly string[]): JsonObject {
  const names = [...types].sort();
  if (names.length === 2 && names.includes("null")) return { ...schema, type: names };
  const rest = without(schema, "type");
  return { ...rest, anyOf: names.map((name) => ({ type: name })) };
}

function closeObject(schema: JsonObject): JsonObject {
  const { properties, required, additionalProperties, ...rest } = schema;
  const members = isJsonObject(properties) && Object.keys(properties).length > 0;
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  return {
    ...rest,
    ...(members && { properties }),
    ...(names.length > 0 && { required: [...names].sort() }),
    additionalProperties: additionalProperties ?? false,
  };
}

/** A tuple with items that may be missing is one fixed tuple for each length; one whose items are all alike is an array. */
function tidyTuple(schema: JsonObject, items: readonly JsonValue[]): JsonObject {
  const { additionalItems, minItems: from = 0 } = schema;
  const rest = without(schema, "additionalItems", "minItems", "maxItems", "items", "type");
  const least = from as number;
  const [first] = items;
  if (additionalItems !== undefined) {
    const all = [...items, additionalItems].map(canonicalJson);
    const same = all.every((item) => item === all[0]);
    if (items.length === 0 || same) {
      return { ...rest, type: "array", items: additionalItems, ...(least > 0 && { minItems: least }) };
    }
    return { ...rest, type: "array", items, additionalItems, minItems: least };
  }
  if (first === undefined) return { ...rest, type: "array", maxItems: 0 };
  const lengths = Array.from({ length: items.length - least + 1 }, (_, at) => least + at);
  const fixed = lengths.map((length) => fixedTuple(items.slice(0, length)));
  const [only] = fixed;
  return fixed.length === 1 && only !== undefined ? { ...rest, ...only } : { ...rest, anyOf: fixed };
}

function fixedTuple(items: readonly JsonValue[]): JsonObject {
  if (items.length === 0) return { type: "array", maxItems: 0 };
  return { type: "array", items, minItems: items.length, maxItems: items.length };
}

/** A union in a union is one union, when the inner one says nothing else. */
function flatUnion(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const members = (anyOf as readonly JsonObject[]).flatMap((member) =>
    Array.isArray(member["anyOf"]) && Object.keys(member).length === 1
      ? (member["anyOf"] as readonly JsonObject[])
      : [member],
  );
  return { ...schema, anyOf: members };
}

/** JSON values in an order that depends on nothing but them, each once. */
export function sorted(values: readonly JsonValue[]): readonly JsonValue[] {
  const texts = new Map(values.map((value) => [canonicalJson(value), value]));
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
