// Patterns in JSON Schema are ECMAScript regular expressions. They run on RE2, whose syntax is nearly the same but means other
// things in places: `\s`, `.`, `[^]` and `[[:alpha:]]`. So a pattern is rewritten, token by token, into what RE2 reads alike.

/** A pattern that cannot be run in linear time, or is no pattern. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const ANY = "\\x{0}-\\x{10ffff}";
const SPACE =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NOT_SPACE =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" +
  "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

/** RE2 knows the general categories by their short names only. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["Punctuation", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
  ["Space_Separator", "Zs"],
  ["Other", "C"],
  ["Control", "Cc"],
]);

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };
const TOKEN =
  /\\(?:u\{(?<brace>[0-9a-f]+)\}|u(?<pair>d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|u(?<four>[0-9a-f]{4})|x(?<two>[0-9a-f]{2})|c(?<control>[a-z])|p\{(?<property>[^}]*)\}|k<(?<backName>[^>]*)>|(?<back>[1-9]\d*)|(?<escape>.))|\(\?(?<look><?[=!])|\(\?<(?<group>[^>]*)>|\(\?:|(?<plain>.)/isuy;

/**
 * Rewrites an ECMAScript pattern (read as with the flag `u`) for RE2.
 *
 * @throws {@link PatternError} saying what in it has no linear-time meaning.
 */
export function toRe2(pattern: string): string {
  try {
    new RegExp(pattern, "u");
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.replace(/^.*: /s, "") : "not a pattern";
    throw new PatternError(`not a regular expression: ${message}`, { cause });
  }
  let text = "";
  let inClass = false;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < pattern.length) {
    const match = TOKEN.exec(pattern);
    if (match === null) throw new PatternError("not a regular expression");
    const groups = match.groups ?? {};
    const token = match[0];
    if (groups["look"] !== undefined)
      throw new PatternError(`${token} looks around, which takes more than linear time`);
    if (groups["back"] !== undefined || groups["backName"] !== undefined)
      throw new PatternError(`${token} refers back to a group, which takes more than linear time`);
    const code = codeOf(groups);
    if (code !== undefined) text += literal(code);
    else if (groups["property"] !== undefined) text += property(token, groups["property"]);
    else if (groups["escape"] !== undefined) text += escaped(groups["escape"], inClass);
    else if (groups["plain"] === undefined) text += "(?:";
    else if (!inClass && token === "[") {
      const [opened, length] = openClass(pattern, match.index);
      text += opened;
      TOKEN.lastIndex = match.index + length;
      inClass = !opened.endsWith("]");
    } else if (inClass) {
      inClass = token !== "]";
      text += token === "]" || token === "-" ? token : literal(codePoint(token));
    } else if (token === ".") text += "[^\\n\\r\\x{2028}\\x{2029}]";
    else if (token === "(") text += "(?:";
    else text += /[\^$*+?{}()|]/.test(token) || /[\w,]/.test(token) ? token : literal(codePoint(token));
  }
  return text;
}

/** The opening of a class, and how many characters of the pattern it takes; an empty class is closed at once. */
function openClass(pattern: string, at: number): readonly [string, number] {
  if (pattern.startsWith("[^]", at)) return [`[${ANY}]`, 3];
  if (pattern.startsWith("[]", at)) return [`[^${ANY}]`, 2];
  return pattern.startsWith("[^", at) ? ["[^", 2] : ["[", 1];
}

function codeOf(groups: Readonly<Record<string, string | undefined>>): number | undefined {
  const { brace, pair, four, two, control } = groups;
  const hex = brace ?? four ?? two;
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (control !== undefined) return codePoint(control) % 32;
  if (pair === undefined) return undefined;
  const [high = 0, low = 0] = pair.split(/\\u/i).map((unit) => Number.parseInt(unit, 16));
  return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
}

function escaped(char: string, inClass: boolean): string {
  if (char === "s") return inClass ? SPACE : `[${SPACE}]`;
  if (char === "S") return inClass ? NOT_SPACE : `[${NOT_SPACE}]`;
  if (/[dDwW]/.test(char)) return `\\${char}`;
  if (char === "b") return inClass ? literal(8) : "\\b";
  if (char === "B") return "\\B";
  return literal(Object.hasOwn(CONTROLS, char) ? (CONTROLS[char] ?? 0) : codePoint(char));
}

function property(token: string, name: string): string {
  if (/^(?:scx|Script_Extensions)=/.test(name))
    throw new PatternError(`${token} is not supported; write \\p{Script=…}`);
  const value = name.replace(/^(?:sc|Script|gc|General_Category)=/, "");
  return `${token.slice(0, 2)}{${CATEGORIES.get(value) ?? value}}`;
}

function literal(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function codePoint(char: string): number {
  return char.codePointAt(0) ?? 0;
}
