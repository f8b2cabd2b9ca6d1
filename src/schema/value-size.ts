import type { JsonValue, JsonObject } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import { VALUE_LIMITS } from "./limits.js";

/** How large a value is. */
export interface ValueSize {
  /** The value itself and its members and items, at every level. */
  readonly parts: number;
  /** Characters of all strings and keys. */
  readonly text: number;
  /** Characters of the longest of them. */
  readonly longest: number;
  /** Characters of the longest key. */
  readonly longestKey: number;
}

/**
 * Measures a value without recursion. Answers a violation instead when it is larger than what is judged at all; then the
 * measuring stopped there, so it takes a bounded time for any value.
 */
export function measure(value: JsonValue): ValueSize | Violation {
  let parts = 0;
  let text = 0;
  let longest = 0;
  let longestKey = 0;
  const count = (length: number) => {
    text += length;
    if (length > longest) longest = length;
  };
  let level: (readonly JsonValue[] | JsonObject)[] = [];
  const visit = (part: JsonValue, next: typeof level) => {
    parts += 1;
    if (typeof part === "string") count(part.length);
    else if (part !== null && typeof part === "object") next.push(part);
  };
  visit(value, level);
  if (text > VALUE_LIMITS.text) return tooMuchText();
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= VALUE_LIMITS.depth) return tooLarge(`nested at most ${VALUE_LIMITS.depth} levels deep`);
    const next: typeof level = [];
    for (const part of level) {
      if (Array.isArray(part)) {
        if (parts + part.length > VALUE_LIMITS.parts) return tooManyParts();
        for (const item of part as readonly JsonValue[]) visit(item, next);
      } else {
        // Not Object.entries: for an object of many members it takes three times as long.
        for (const key of Object.keys(part)) {
          count(key.length);
          if (key.length > longestKey) longestKey = key.length;
          visit((part as JsonObject)[key] as JsonValue, next);
        }
        if (parts > VALUE_LIMITS.parts) return tooManyParts();
      }
      if (text > VALUE_LIMITS.text) return tooMuchText();
    }
    level = next;
  }
  return { parts, text, longest, longestKey };
}

function tooMuchText(): Violation {
  return tooLarge(`with at most ${VALUE_LIMITS.text} characters of text`);
}

function tooManyParts(): Violation {
  return tooLarge(`with at most ${VALUE_LIMITS.parts} members and items at all levels together`);
}

function tooLarge(expected: string): Violation {
  return { path: "$", message: `expected a value ${expected}, found a larger one, which is not judged` };
}
