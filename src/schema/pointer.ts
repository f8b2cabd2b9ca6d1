import { isJsonObject, type JsonValue } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";

/** The path that a JSON pointer takes through a value: a step is an index only where its parent really is an array. */
export function pathOf(root: JsonValue, pointer: string): JsonPath {
  const path: (string | number)[] = [];
  let at: JsonValue | undefined = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) {
      path.push(Number(key));
      at = (at as readonly JsonValue[])[Number(key)];
    } else {
      path.push(key);
      at = isJsonObject(at) && Object.hasOwn(at, key) ? (at as Record<string, JsonValue>)[key] : undefined;
    }
  }
  return path;
}
