import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";

/**
 * Whether at most one alternative of a union can fit a value: the objects have a required member whose literals tell them apart,
 * and the others are simple types.
 */
export function isExclusive(
  alternatives: readonly JsonObject[],
  resolve: (schema: JsonObject) => JsonObject,
): boolean {
  const resolved = alternatives.map(resolve);
  const objects = resolved.filter(({ type }) => type === "object");
  if (objects.length < 2) return false;
  const others = resolved.filter(({ type }) => type !== "object").map(({ type }) => type);
  if (!others.every((type) => typeof type === "string") || new Set(others).size !== others.length)
    return false;
  const [first] = objects;
  const names = isJsonObject(first?.["properties"]) ? Object.keys(first["properties"]) : [];
  return names.some((name) => tellsApart(objects, name));
}

function tellsApart(objects: readonly JsonObject[], name: string): boolean {
  const seen = new Set<string>();
  return objects.every((object) => {
    const literals = literalsOf(object, name);
    return literals?.every((literal) => {
      const text = JSON.stringify(literal);
      return !seen.has(text) && seen.add(text);
    });
  });
}

/** The literals that a required member may be; `undefined` when it is optional or something else. */
function literalsOf(object: JsonObject, name: string): readonly JsonValue[] | undefined {
  const { required, properties } = object;
  if (!Array.isArray(required) || !required.includes(name) || !isJsonObject(properties)) return undefined;
  const member = ownValue(properties, name);
  if (!isJsonObject(member)) return undefined;
  if (member["const"] !== undefined) return [member["const"]];
  return Array.isArray(member["enum"]) ? (member["enum"] as readonly JsonValue[]) : undefined;
}
