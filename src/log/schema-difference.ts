import { isJsonObject, ownValue, type JsonValue } from "../contract/json.js";
import { canonicalJson } from "./canonical-text.js";
import { jsonEqual } from "./json-equal.js";
import { pathText } from "./json-path.js";

/** The first place where two schemas say different things; a side that says nothing there is `undefined`. */
export interface SchemaDifference {
  /** As `$.properties.amount_cents.type`. */
  readonly path: string;
  readonly ours: JsonValue | undefined;
  readonly theirs: JsonValue | undefined;
}

/**
 * Compares what two JSON Schemas demand: annotations and the order of `required` and `enum` do not count
 * (docs/clients.md, "Drift"). A property that happens to be called `title` is no annotation.
 */
export function schemaDifference(ours: JsonValue, theirs: JsonValue): SchemaDifference | undefined {
  return firstDifference(demandsOf(ours), demandsOf(theirs), []);
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
]);

/** Keywords whose order says nothing. */
const SETS: ReadonlySet<string> = new Set(["required", "enum"]);

/** Keywords whose members are schemas under names that somebody chose. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "definitions",
  "$defs",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords whose value is a schema, or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

function demandsOf(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).map(demandsOf);
  if (!isJsonObject(schema)) return schema;
  const demands: [string, JsonValue][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (!ANNOTATIONS.has(keyword)) demands.push([keyword, demandOf(keyword, value)]);
  }
  // From entries, so that a keyword called __proto__ is a keyword.
  return Object.fromEntries(demands);
}

function demandOf(keyword: string, value: JsonValue): JsonValue {
  if (SETS.has(keyword) && Array.isArray(value)) return sorted(value as readonly JsonValue[]);
  if (SCHEMAS.has(keyword)) return demandsOf(value);
  if (SCHEMA_MAPS.has(keyword) && isJsonObject(value)) {
    return Object.fromEntries(
      // A dependency may be a list of names rather than a schema.
      Object.entries(value).map(([name, item]) => [name, Array.isArray(item) ? item : demandsOf(item)]),
    );
  }
  return value;
}

function sorted(values: readonly JsonValue[]): readonly JsonValue[] {
  return values
    .map((value) => ({ value, text: canonicalJson(value) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ value }) => value);
}

function firstDifference(
  ours: JsonValue | undefined,
  theirs: JsonValue | undefined,
  path: readonly (string | number)[],
): SchemaDifference | undefined {
  if (ours === theirs || (ours !== undefined && theirs !== undefined && jsonEqual(ours, theirs))) {
    return undefined;
  }
  const last = path.at(-1);
  if (isJsonObject(ours) && isJsonObject(theirs)) {
    for (const name of [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort()) {
      const found = firstDifference(ownValue(ours, name), ownValue(theirs, name), [...path, name]);
      if (found !== undefined) return found;
    }
  } else if (Array.isArray(ours) && Array.isArray(theirs) && !(typeof last === "string" && SETS.has(last))) {
    const [a, b] = [ours as readonly JsonValue[], theirs as readonly JsonValue[]];
    for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
      const found = firstDifference(a[at], b[at], [...path, at]);
      if (found !== undefined) return found;
    }
  }
  return { path: pathText(path), ours, theirs };
}
