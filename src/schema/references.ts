import { isJsonObject, type JsonSchema, type JsonValue } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";
import { brief } from "./brief.js";
import { pathOf } from "./pointer.js";
import { SchemaError } from "./schema-error.js";

/** What a reference means, or that only the compiler knows. */
export type Resolved = { readonly path: JsonPath; readonly schema: JsonSchema } | "unknown";

/**
 * What a `$ref` points at, when it is a JSON pointer into this document. `"unknown"` for an anchor or an id of the document's
 * own, which the compiler resolves.
 *
 * @throws {@link SchemaError} when it points at nothing, or leaves the document.
 */
export function resolveRef(root: JsonSchema, ref: JsonValue, at: JsonPath): Resolved {
  if (typeof ref !== "string") throw new SchemaError(at, `expected text, found ${brief(ref)}`);
  if (!ref.startsWith("#")) {
    if (typeof root !== "boolean" && Object.hasOwn(root, "$id")) return "unknown";
    throw new SchemaError(at, `${brief(ref)} leads out of this schema; nothing outside of it is ever read`);
  }
  const pointer = decode(ref.slice(1));
  if (pointer !== "" && !pointer?.startsWith("/")) return "unknown";
  let found: JsonValue = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const next: JsonValue | undefined =
      typeof found === "object" && found !== null && Object.hasOwn(found, key)
        ? (found as Readonly<Record<string, JsonValue>>)[key]
        : undefined;
    if (next === undefined) throw new SchemaError(at, `${brief(ref)} points at nothing in this schema`);
    found = next;
  }
  if (typeof found === "boolean" || isJsonObject(found))
    return { path: pathOf(root, pointer), schema: found };
  throw new SchemaError(at, `${brief(ref)} points at ${brief(found)}, which is no schema`);
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
