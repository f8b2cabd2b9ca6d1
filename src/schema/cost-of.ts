import { ownValue, type JsonObject, type JsonSchema } from "../contract/json.js";
import type { JsonPath } from "../log/json-path.js";
import {
  addCost,
  forEach,
  manyTimes,
  formatWeight,
  NO_COST,
  NO_WEIGHT,
  nodeWeight,
  patternWeight,
  TEXT_WEIGHT,
  UNBOUNDED,
  addWeight,
  type Cost,
} from "./cost.js";
import { resolveRef } from "./references.js";
import { SchemaError } from "./schema-error.js";
import { subschemas } from "./subschemas.js";

/**
 * An upper bound of what judging against a schema costs. Every subschema, with references followed, meets one value once when
 * the way to it is by names only, and every part of a value at most once otherwise. Recursion has no bound.
 *
 * @throws {@link SchemaError} when a reference points at nothing, or a schema refers to itself without going into the value.
 */
export function costOf(root: JsonSchema, programSize: (pattern: string) => number): Cost {
  const known = new Map<JsonObject, Cost>();
  const open = new Map<JsonObject, number>();
  const pointersHold = !hasInnerId(root);

  const visit = (part: JsonSchema, path: JsonPath, descents: number, from = path): Cost => {
    if (typeof part === "boolean") return NO_COST;
    const done = known.get(part);
    if (done !== undefined) return done;
    const entered = open.get(part);
    if (entered === descents) throw new SchemaError(from, "refers to itself without going into the value");
    if (entered !== undefined) return UNBOUNDED;
    open.set(part, descents);
    let cost = ownCost(part, programSize);
    for (const { path: way, reach, schema } of subschemas(part)) {
      if (reach === "none") continue;
      const inner = visit(schema, [...path, ...way], reach === "same" ? descents : descents + 1);
      cost = addCost(cost, reach === "many" ? forEach(inner) : inner);
    }
    const ref = ownValue(part, "$ref");
    if (ref !== undefined) {
      const at = [...path, "$ref"];
      const target = pointersHold ? resolveRef(root, ref, at) : "unknown";
      cost = addCost(
        cost,
        target === "unknown" ? UNBOUNDED : visit(target.schema, target.path, descents, at),
      );
    }
    if (Object.hasOwn(part, "$dynamicRef") || Object.hasOwn(part, "$recursiveRef")) {
      cost = addCost(cost, UNBOUNDED);
    }
    open.delete(part);
    known.set(part, cost);
    return cost;
  };

  // References that no judgement reaches must point at something too.
  const everywhere = (part: JsonSchema, path: JsonPath): void => {
    visit(part, path, 0);
    if (typeof part === "boolean") return;
    for (const child of subschemas(part)) everywhere(child.schema, [...path, ...child.path]);
  };
  const cost = visit(root, [], 0);
  everywhere(root, []);
  return usesUnevaluated(root) ? manyTimes(cost, UNEVALUATED_FACTOR) : cost;
}

function ownCost(part: JsonObject, programSize: (pattern: string) => number): Cost {
  let once = nodeWeight(comparedParts(part));
  let each = NO_WEIGHT;
  if (Object.hasOwn(part, "minLength") || Object.hasOwn(part, "maxLength"))
    once = addWeight(once, TEXT_WEIGHT);
  const pattern = ownValue(part, "pattern");
  if (typeof pattern === "string") once = addWeight(once, patternWeight(programSize(pattern)));
  const format = ownValue(part, "format");
  if (typeof format === "string") once = addWeight(once, formatWeight(format));
  const patternProperties = ownValue(part, "patternProperties");
  if (typeof patternProperties === "object" && patternProperties !== null) {
    for (const key of Object.keys(patternProperties)) each = addWeight(each, patternWeight(programSize(key)));
  }
  // Walks all of the value: each part and each character, however deep.
  if (ownValue(part, "uniqueItems") === true) each = addWeight(each, addWeight(nodeWeight(1), TEXT_WEIGHT));
  // Walk the members or items of the value once each.
  if (WALKING.some((keyword) => Object.hasOwn(part, keyword))) each = addWeight(each, nodeWeight(1));
  return { once, each };
}

const WALKING = [
  "additionalProperties",
  "contains",
  "maxProperties",
  "minProperties",
  "patternProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** Keywords that say something to people, and judge nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$comment",
  "$defs",
  "default",
  "definitions",
  "description",
  "examples",
  "title",
]);

/** What a value may be compared with, one by one: keywords, names in lists, and all that `enum` and `const` hold. */
function comparedParts(part: JsonObject): number {
  const inner = new Set<unknown>(subschemas(part).map(({ schema }) => schema));
  const count = (value: unknown): number =>
    typeof value !== "object" || value === null || inner.has(value)
      ? 1
      : Object.values(value).reduce<number>((sum, item) => sum + count(item), 1);
  return Object.entries(part).reduce(
    (sum, [keyword, value]) => (ANNOTATIONS.has(keyword) ? sum : sum + count(value)),
    0,
  );
}

/** What has been evaluated is collected and merged at every level of combinators. */
const UNEVALUATED_FACTOR = 10;

function usesUnevaluated(part: JsonSchema): boolean {
  if (typeof part === "boolean") return false;
  if (Object.hasOwn(part, "unevaluatedItems") || Object.hasOwn(part, "unevaluatedProperties")) return true;
  return subschemas(part).some(({ schema }) => usesUnevaluated(schema));
}

function hasInnerId(root: JsonSchema): boolean {
  const inside = (part: JsonSchema): boolean =>
    typeof part !== "boolean" &&
    subschemas(part).some(
      ({ schema }) => typeof schema !== "boolean" && (Object.hasOwn(schema, "$id") || inside(schema)),
    );
  return inside(root);
}
