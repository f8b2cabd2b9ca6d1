import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";
import { localReference } from "./local-reference.js";

/** A schema, what it refers to, and the alternatives in it, each once. */
export function spread(root: JsonObject, schemas: readonly JsonValue[]): readonly JsonValue[] {
  const found = new Set<JsonValue>();
  const open = [...schemas];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (found.has(schema)) continue;
    found.add(schema);
    if (!isJsonObject(schema)) continue;
    const target = localReference(root, ownValue(schema, "$ref") ?? null);
    if (target !== undefined) open.push(target);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const members = ownValue(schema, keyword);
      if (Array.isArray(members)) open.push(...(members as readonly JsonValue[]));
    }
  }
  return [...found];
}

/** Whether a schema may allow null. `true` where it cannot be told. */
export function admitsNull(root: JsonObject, schema: JsonValue): boolean {
  return spread(root, [schema]).some(saysNull);
}

function saysNull(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const [type, values] = [ownValue(schema, "type"), ownValue(schema, "enum")];
  if (values !== undefined) return Array.isArray(values) && values.includes(null);
  if (Object.hasOwn(schema, "const")) return schema["const"] === null;
  if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
  return !["$ref", "anyOf", "oneOf", "allOf"].some((keyword) => Object.hasOwn(schema, keyword));
}
