import {
  isJsonObject,
  ownValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../contract/json.js";

/** How many references may follow one another. */
const HOPS = 16;

/** Where a reference inside of a document leads, with what stands beside it; the schema itself where there is none. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at: JsonSchema = schema;
  for (let hop = 0; hop < HOPS; hop += 1) {
    const reference = isJsonObject(at) ? ownValue(at, "$ref") : undefined;
    if (!isJsonObject(at) || typeof reference !== "string") return at;
    const target = pointedAt(root, reference);
    if (target === undefined) return true;
    const beside = Object.fromEntries(Object.entries(at).filter(([key]) => key !== "$ref"));
    at = isJsonObject(target) ? { ...target, ...beside } : target;
  }
  return true;
}

function pointedAt(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: JsonValue | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) ? ownValue(at, key) : undefined;
  }
  return isSchema(at) ? at : undefined;
}

export function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}

/** A keyword that holds a list of schemas; empty where it is absent. */
export function schemasIn(schema: JsonObject, keyword: string): readonly JsonSchema[] {
  const list = ownValue(schema, keyword);
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isSchema) : [];
}

export function textIn(schema: JsonSchema, keyword: string): string | undefined {
  const found = isJsonObject(schema) ? ownValue(schema, keyword) : undefined;
  return typeof found === "string" ? found : undefined;
}

export function numberIn(schema: JsonObject, keyword: string): number | undefined {
  const found = ownValue(schema, keyword);
  return typeof found === "number" ? found : undefined;
}

export function wordsIn(schema: JsonObject, keyword: string): readonly string[] {
  const list = ownValue(schema, keyword);
  return Array.isArray(list)
    ? (list as readonly JsonValue[]).filter((word): word is string => typeof word === "string")
    : [];
}
