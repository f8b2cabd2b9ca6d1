import type { JsonObject, JsonValue } from "./json.js";

/** How large a copy has become. */
interface Tally extends QuickCopyOptions {
  parts: number;
  text: number;
}

export interface QuickCopyOptions {
  /** The deepest nesting. */
  readonly maxDepth: number;
  /** A part is counted as 32 bytes and a character as 6, the most that they take. */
  readonly maxBytes: number;
  /** Whether a member under a symbol is a reason to look again; if not, it may stay in the copy. */
  readonly refusesSymbols: boolean;
}

/**
 * A copy of a value that is plain JSON data at first sight, as nearly all are: objects and arrays of this realm, and in them what JSON
 * has. It says nothing of a value that is not: whoever wants to know why looks at it again, slowly.
 *
 * @returns `undefined` when the value is not plain at first sight, or may be larger than `maxBytes`.
 */
export function quickCopy(value: unknown, options: QuickCopyOptions): JsonValue | undefined {
  const { maxDepth, maxBytes, refusesSymbols } = options;
  const tally: Tally = { parts: 0, text: 0, maxDepth, maxBytes, refusesSymbols };
  // Then a loop over the keys of any object would see them.
  for (const _key in NOTHING) return undefined;
  try {
    const copy = copyOf(value, maxDepth, tally);
    return isTooLarge(tally) ? undefined : copy;
  } catch {
    // A getter or a proxy of somebody's threw.
    return undefined;
  }
}

/** It has no members, unless somebody gave every object some. */
const NOTHING = Object.freeze({});

function isTooLarge({ parts, text, maxBytes }: Tally): boolean {
  return parts * 32 + text * 6 > maxBytes;
}

function copyOf(value: unknown, depth: number, tally: Tally): JsonValue | undefined {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      tally.text += value.length;
      return value.isWellFormed() ? value : undefined;
    case "number":
      if (value === 0) return 0;
      return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
        ? value
        : undefined;
    case "object":
      if (value === null) return null;
      // A cycle has no end to its depth.
      if (depth === 0 || isTooLarge(tally)) return undefined;
      return Array.isArray(value) ? copyOfArray(value, depth, tally) : copyOfObject(value, depth, tally);
    default:
      return undefined;
  }
}

function copyOfObject(object: object, depth: number, tally: Tally): JsonObject | undefined {
  if (Object.getPrototypeOf(object) !== Object.prototype || "toJSON" in object) return undefined;
  // Much faster than a copy that is made member by member, and each getter is asked once. It takes symbols along.
  const copy = { ...object } as Record<string, unknown>;
  if (tally.refusesSymbols && Object.getOwnPropertySymbols(copy).length > 0) return undefined;
  for (const key in copy) {
    if (key === "__proto__" || !key.isWellFormed()) return undefined;
    tally.parts += 1;
    tally.text += key.length;
    const member = copy[key];
    const plain = copyOf(member, depth - 1, tally);
    if (plain === undefined) return undefined;
    if (plain !== member || plain === 0) copy[key] = plain;
  }
  return copy as JsonObject;
}

function copyOfArray(array: readonly unknown[], depth: number, tally: Tally): JsonValue | undefined {
  if (Object.getPrototypeOf(array) !== Array.prototype || "toJSON" in array) return undefined;
  if (tally.refusesSymbols && Object.getOwnPropertySymbols(array).length > 0) return undefined;
  if (Object.keys(array).length !== array.length) {
    return undefined;
  }
  const copy: JsonValue[] = [];
  for (const item of array) {
    tally.parts += 1;
    const plain = copyOf(item, depth - 1, tally);
    if (plain === undefined) return undefined;
    copy.push(plain);
  }
  return copy;
}
