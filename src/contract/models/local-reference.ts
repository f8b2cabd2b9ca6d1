import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../json.js";

/** What a `$ref` to a place in the same schema stands for, or `undefined`. */
export function localReference(root: JsonObject, reference: JsonValue): JsonValue | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = (found as readonly JsonValue[])[Number(key)];
    else found = isJsonObject(found) ? ownValue(found, key) : undefined;
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A schema with its outermost references followed; what stands beside a reference stays. */
export function followed(root: JsonObject, schema: JsonValue): JsonValue {
  let at = schema;
  // As many steps as a chain of references can sensibly have: a cycle of nothing but references says nothing.
  for (let step = 0; step < 16 && isJsonObject(at) && Object.hasOwn(at, "$ref"); step += 1) {
    const { $ref: reference = null, ...beside }: JsonObject = at;
    const target = localReference(root, reference);
    if (!isJsonObject(target)) return at;
    at = { ...target, ...beside };
  }
  return at;
}
