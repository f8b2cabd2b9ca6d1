import type { JsonValue } from "../contract/json.js";

// Control characters move the cursor and recolour the screen; bidi and zero-width characters reorder or hide what stands
// beside them. A client could use either to show the operator another amount than the one that will be settled.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from a client or a log as one safe line: every character that is not plainly visible is written as an escape. */
export function printable(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

/** A JSON value on one safe line, cut after `limit` characters with a count of what is missing. */
export function printableJson(value: JsonValue, limit = Infinity): string {
  return shorten(printable(JSON.stringify(value)), limit);
}

/** A text of at most about `limit` characters, saying how much was left out. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}… (${text.length - kept.length} more)`;
}

/** The beginning of a key or hash, enough to recognise it by: `sha256:514bc81f3e16…`. */
export function shortKey(key: string): string {
  const shown = printable(key);
  return shown.length > 20 ? `${shown.slice(0, 19)}…` : shown;
}

function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point <= 0xffff ? `\\u${point.toString(16).padStart(4, "0")}` : `\\u{${point.toString(16)}}`;
}
