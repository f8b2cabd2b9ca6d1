// Control characters move text about; bidi and zero-width characters reorder or hide what stands beside them. A client could use
// either to show the operator another amount than the one that is settled.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const UNSAFE_BUT_LINES = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text of somebody else's on one line: whatever is not plainly visible is written as an escape. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

/** The same of text whose lines and tabs are to stay. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE_BUT_LINES, escapeOf);
}

function escapeOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point <= 0xffff ? `\\u${point.toString(16).padStart(4, "0")}` : `\\u{${point.toString(16)}}`;
}

/** A text of at most so many characters. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The beginning of an id or a key, enough to recognise it by. */
export function short(text: string): string {
  const shown = visible(text);
  const named = /^(sha256:)?(.*)$/s.exec(shown);
  const [prefix, rest] = [named?.[1] ?? "", named?.[2] ?? shown];
  return rest.length > 14 ? `${prefix}${rest.slice(0, prefix === "" ? 8 : 12)}…` : shown;
}
