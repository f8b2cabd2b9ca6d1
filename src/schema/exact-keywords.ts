import type { FuncKeywordDefinition } from "ajv";
import type { JsonValue } from "../contract/json.js";
import { canonicalJson } from "../log/canonical-text.js";
import { jsonEqual } from "../log/json-equal.js";

/**
 * The keywords that compare values, with our own equality: ajv's throws on `{"valueOf": 1}`, looks up `"__proto__"` among its
 * items, and compares every item with every other for `uniqueItems`, where one pass is enough.
 */
export function exactKeywords(): readonly (FuncKeywordDefinition & { readonly keyword: string })[] {
  return [
    {
      keyword: "const",
      errors: false,
      compile: (expected: JsonValue) => (value: JsonValue) => jsonEqual(value, expected),
    },
    {
      keyword: "enum",
      schemaType: "array",
      errors: false,
      compile: (allowed: readonly JsonValue[]) => (value: JsonValue) =>
        allowed.some((item) => jsonEqual(value, item)),
    },
    {
      keyword: "uniqueItems",
      type: "array",
      schemaType: "boolean",
      errors: false,
      compile: (unique: boolean) => (items: readonly JsonValue[]) =>
        !unique || firstDuplicate(items) === undefined,
    },
  ];
}

/** The first two indexes whose items are equal. */
export function firstDuplicate(items: readonly JsonValue[]): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const key = canonicalJson(item);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, at];
    seen.set(key, at);
  }
  return undefined;
}
