import { isJsonObject, type JsonValue } from "../contract/json.js";

/** Deep equality of two JSON values: the order of keys never matters, only own members count, and 0 equals -0. */
export function jsonEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => jsonEqual(item as JsonValue, b[at] as JsonValue))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key] as JsonValue, b[key] as JsonValue))
  );
}
