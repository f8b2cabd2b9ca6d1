import type { JsonObject, JsonSchema, JsonValue } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";
import type { SchemaLimits } from "./limits.js";
import { SchemaError } from "./schema-error.js";

/**
 * Bounds a schema before anything recurses over it or compiles it: its size and its nesting; and refuses what is no plain JSON
 * or means code: `__proto__` as a key, numbers that are no JSON numbers, `$async`.
 *
 * @throws {@link SchemaError} naming the place.
 */
export function boundSchema(schema: JsonSchema, limits: SchemaLimits): void {
  let text = 0;
  let level: (readonly [JsonPath, readonly JsonValue[] | JsonObject])[] = [];
  const visit = (path: JsonPath, part: unknown, next: typeof level) => {
    if (typeof part === "string") text += part.length + 2;
    else if (typeof part === "object" && part !== null)
      next.push([path, part as JsonObject | readonly JsonValue[]]);
    else if (part === null || typeof part === "boolean" || Number.isFinite(part)) text += String(part).length;
    else
      throw new SchemaError(path, `${typeof part === "number" ? part : `a ${typeof part}`} is no JSON value`);
    if (text > limits.text) {
      throw new SchemaError([], `larger than the ${limits.text} characters that a schema may have`);
    }
  };
  visit([], schema, level);
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const [path, part] of level) {
      if (depth >= limits.depth)
        throw new SchemaError(path, `nested deeper than the ${limits.depth} levels that a schema may have`);
      for (const [key, item] of Object.entries(part)) {
        const here = [...path, Array.isArray(part) ? Number(key) : key];
        if (key === "__proto__") throw new SchemaError(here, "the key __proto__ is not accepted");
        text += key.length + 4;
        visit(here, item, next);
      }
    }
    level = next;
  }
}
