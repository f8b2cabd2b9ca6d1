import canonicalize from "canonicalize";
import type { JsonValue } from "../contract/json.js";

/**
 * The canonical text of a JSON value (RFC 8785): equal values have equal texts, whatever the order of their keys.
 *
 * @throws TypeError when the value is not JSON (`undefined`, NaN, an infinity).
 */
export function canonicalJson(value: JsonValue): string {
  // The RFC took over how JSON.stringify writes everything but the order of keys; it writes a whole value three times as fast
  // as the library does member by member.
  const ordered = inOrder(value);
  const text = ordered === undefined ? serialize(value) : JSON.stringify(ordered);
  if (text === undefined) throw new TypeError(`not a JSON value: ${typeof value}`);
  return text;
}

function serialize(value: JsonValue): string | undefined {
  try {
    return (canonicalize as unknown as (value: unknown) => string | undefined)(value);
  } catch (cause) {
    throw new TypeError(`not a JSON value: ${String(cause)}`, { cause });
  }
}

/** A copy whose keys are in the RFC's order; `undefined` where an object cannot have them so, and where it is not plain JSON. */
function inOrder(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : undefined;
    case "object":
      if (value === null) return null;
      if ("toJSON" in value && typeof value.toJSON === "function") return undefined;
      return Array.isArray(value) ? itemsInOrder(value) : membersInOrder(value as Record<string, unknown>);
    default:
      return undefined;
  }
}

function itemsInOrder(items: readonly unknown[]): unknown {
  const copy: unknown[] = [];
  for (const item of items) {
    const ordered = inOrder(item);
    if (ordered === undefined) return undefined;
    copy.push(ordered);
  }
  return copy;
}

function membersInOrder(object: Readonly<Record<string, unknown>>): unknown {
  const copy: Record<string, unknown> = {};
  for (const key of sorted(Object.keys(object))) {
    const ordered = inOrder(object[key]);
    // Keys that look like an index come first in every object, by their number.
    if (ordered === undefined || startsWithDigit(key) || key === "__proto__") return undefined;
    copy[key] = ordered;
  }
  return copy;
}

/** Sorts keys in place. Most objects have a few, for which the engine's own sort allocates more than the rest of the copy. */
function sorted(keys: string[]): readonly string[] {
  if (keys.length > 16) return keys.sort();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end] ?? "";
    let at = end;
    for (; at > 0; at -= 1) {
      const before = keys[at - 1] ?? "";
      if (before < key) break;
      keys[at] = before;
    }
    keys[at] = key;
  }
  return keys;
}

function startsWithDigit(key: string): boolean {
  const code = key.charCodeAt(0);
  return code >= 48 && code <= 57;
}
