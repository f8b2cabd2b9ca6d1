import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
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

/** What is tiny is no larger than this. */
export const TINY: ValueSize = { parts: 17, text: 17 * 128, longest: 128, longestKey: 64 };

/** Whether a value is plainly tiny, as most inputs and outputs of tools are: what holds for {@link TINY} holds for it. */
export function isTiny(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  let parts = 1;
  // Also what a prototype was given: then it is measured.
  for (const key in value) {
    if ((parts += 1) > TINY.parts) return false;
    const member = value[key] as JsonValue;
    if (key.length > TINY.longestKey) return false;
    if (typeof member === "string" ? member.length > 64 : typeof member === "object" && member !== null)
      return false;
  }
  return true;
}

/**
 * Measures a value. Answers a violation instead when it is larger than what is judged at all; then the measuring stopped
 * there, so it takes a bounded time, and a bounded depth of calls, for any value.
 */
export function measure(value: JsonValue): ValueSize | Violation {
  const tape = new Tape();
  const violation = tape.add(value, 0);
  return violation ?? tape;
}

class Tape implements ValueSize {
  parts = 0;
  text = 0;
  longest = 0;
  longestKey = 0;

  /** Adds a value that stands at a depth; answers why no more can be added. */
  add(value: JsonValue, depth: number): Violation | undefined {
    if ((this.parts += 1) > VALUE_LIMITS.parts) return tooManyParts();
    if (typeof value === "string") return this.addText(value.length);
    if (value === null || typeof value !== "object") return undefined;
    if (depth >= VALUE_LIMITS.depth) return tooLarge(`nested at most ${VALUE_LIMITS.depth} levels deep`);
    if (Array.isArray(value)) return this.addItems(value as readonly JsonValue[], depth + 1);
    // Not Object.entries: for an object of many members it takes three times as long.
    for (const key of Object.keys(value)) {
      if (key.length > this.longestKey) this.longestKey = key.length;
      const violation =
        this.addText(key.length) ?? this.add((value as JsonObject)[key] as JsonValue, depth + 1);
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  private addItems(items: readonly JsonValue[], depth: number): Violation | undefined {
    if (this.parts + items.length > VALUE_LIMITS.parts) return tooManyParts();
    for (const item of items) {
      const violation = this.add(item, depth);
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  private addText(length: number): Violation | undefined {
    if (length > this.longest) this.longest = length;
    return (this.text += length) > VALUE_LIMITS.text ? tooMuchText() : undefined;
  }
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
