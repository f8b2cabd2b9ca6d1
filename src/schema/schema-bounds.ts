import type { JsonSchema } from "../contract/json.js";
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
  let level: Place[] = [];
  const visit = (outer: Place | undefined, step: string | number, part: unknown, next: Place[]): void => {
    if (typeof part === "string") text += part.length + 2;
    else if (typeof part === "object" && part !== null) next.push({ outer, step, part });
    else if (part === null || typeof part === "boolean" || Number.isFinite(part)) text += String(part).length;
    else {
      const problem = `${typeof part === "number" ? part : `a ${typeof part}`} is no JSON value`;
      throw new SchemaError(pathTo(outer, step), problem);
    }
    if (text > limits.text) {
      throw new SchemaError([], `larger than the ${limits.text} characters that a schema may have`);
    }
  };
  visit(undefined, "", schema, level);
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: Place[] = [];
    for (const place of level) {
      const { part } = place;
      if (depth >= limits.depth) {
        const problem = `nested deeper than the ${limits.depth} levels that a schema may have`;
        throw new SchemaError(pathTo(place.outer, place.step), problem);
      }
      for (const key of Object.keys(part)) {
        if (key === "__proto__") {
          throw new SchemaError(pathTo(place, key), "the key __proto__ is not accepted");
        }
        text += key.length + 4;
        visit(place, Array.isArray(part) ? Number(key) : key, (part as Record<string, unknown>)[key], next);
      }
    }
    level = next;
  }
}

/** An object or a list in a schema, and the way to it: written out only when there is something to say about it. */
interface Place {
  readonly outer: Place | undefined;
  readonly step: string | number;
  readonly part: object;
}

function pathTo(outer: Place | undefined, step: string | number): JsonPath {
  const path: (string | number)[] = [];
  for (let at = outer, last = step; at !== undefined; last = at.step, at = at.outer) path.unshift(last);
  return path;
}
