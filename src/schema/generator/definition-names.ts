import type { JsonObject } from "../../contract/json.js";
import { hashValue } from "../../log/canonical-json.js";
import type { Declaration } from "./shape.js";

/** A declaration with its schema, in which `$ref`s are still the keys that {@link nameDefinitions} is given. */
export interface Definition {
  readonly declaration: Declaration;
  readonly schema: JsonObject;
}

/**
 * A name for each definition of one schema, by key: the author's, with a number where two differ. Depends on what the definitions
 * say and where they were declared, never on the order in which they were found; definitions that say the same share a name.
 *
 * @param settle puts a schema into canonical form with its references replaced.
 */
export function nameDefinitions(
  definitions: ReadonlyMap<string, Definition>,
  settle: (schema: JsonObject, nameOf: (key: string) => string) => JsonObject,
): ReadonlyMap<string, string> {
  let marks = new Map([...definitions].map(([key, { declaration }]) => [key, declaration.baseName]));
  // Each round looks one reference deeper, so after as many rounds as there are definitions equal marks mean equal schemas.
  for (let round = 0; round < definitions.size; round++) {
    const before = marks;
    const markOf = (key: string): string => before.get(key) ?? key;
    const next = [...definitions].map(([key, { declaration, schema }]): [string, string] => [
      key,
      `${declaration.baseName} ${hashValue(settle(schema, markOf))}`,
    ]);
    marks = new Map(next);
    if (new Set(marks.values()).size === definitions.size) break;
  }
  return numbered(definitions, marks);
}

function numbered(
  definitions: ReadonlyMap<string, Definition>,
  marks: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const order = [...definitions]
    .map(([key, { declaration }]) => ({ key, ...declaration, mark: marks.get(key) ?? "" }))
    .sort((a, b) => compare(a.origin, b.origin) || compare(a.mark, b.mark));
  const taken = new Set<string>();
  const nameOfMark = new Map<string, string>();
  const names = new Map<string, string>();
  for (const { key, baseName, mark } of order) {
    let name = nameOfMark.get(mark);
    if (name === undefined) {
      name = baseName;
      for (let next = 2; taken.has(name); next++) name = `${baseName}_${next}`;
      taken.add(name);
      nameOfMark.set(mark, name);
    }
    names.set(key, name);
  }
  return names;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
