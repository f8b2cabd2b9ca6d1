import type { JsonPath } from "./json-path.js";
import { JsonSyntaxError } from "./json-syntax-error.js";

/** A number in a JSON text: where it stands and how it is written. */
export interface NumberToken {
  readonly path: JsonPath;
  readonly text: string;
}

export interface ScanRules {
  readonly maxDepth: number;
  /** Places where an integer up to 2^64-1 may stand. */
  readonly u64At?: ((path: JsonPath) => boolean) | undefined;
}

interface Frame {
  /** The keys seen so far; `undefined` for an array. */
  readonly keys: Set<string> | undefined;
  step: string | number;
  atKey: boolean;
}

const MAX_U64 = 2n ** 64n - 1n;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Looks for what `JSON.parse` would silently lose: duplicate keys, `__proto__`, lone surrogates, rounded integers,
 * overflowing numbers; and for nesting that is too deep. Iterative, one pass. It does not judge the grammar: what it passes
 * still has to be parsed.
 *
 * @returns the integers beyond 2^53-1 at the places that may hold one.
 * @throws {@link JsonSyntaxError} naming the path.
 */
export function scanJson(text: string, rules: ScanRules): readonly NumberToken[] {
  const frames: Frame[] = [];
  const large: NumberToken[] = [];
  const path = (): JsonPath => frames.map((frame) => frame.step);
  let at = 0;
  while (at < text.length) {
    const top = frames.at(-1);
    const char = text.charAt(at);
    if (char === '"') {
      const token = text.slice(at, stringEnd(text, at));
      scanString(token, top, path);
      at += token.length;
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      const token = numberAt(text, at);
      // A minus sign without a digit is no number; the parse that follows this scan says so.
      if (token !== undefined && isRounded(token)) {
        if (!isU64(token) || rules.u64At?.(path()) !== true) refuseNumber(token, path());
        large.push({ path: path(), text: token });
      }
      at += token?.length ?? 1;
    } else {
      if (char === "{" || char === "[") {
        if (frames.length >= rules.maxDepth) {
          throw new JsonSyntaxError(path(), `nested deeper than ${rules.maxDepth} levels`);
        }
        frames.push(
          char === "{"
            ? { keys: new Set(), step: "", atKey: true }
            : { keys: undefined, step: 0, atKey: false },
        );
      } else if (char === "}" || char === "]") frames.pop();
      else if (top !== undefined && char === ",") nextMember(top);
      else if (top !== undefined && char === ":") top.atKey = false;
      at += 1;
    }
  }
  return large;
}

function nextMember(frame: Frame): void {
  if (typeof frame.step === "number") frame.step += 1;
  else frame.atKey = true;
}

function scanString(token: string, frame: Frame | undefined, path: () => JsonPath): void {
  const value = unescape(token);
  if (frame?.keys !== undefined && frame.atKey) {
    frame.step = value;
    if (frame.keys.has(value)) throw new JsonSyntaxError(path(), "duplicate key");
    if (value === "__proto__") throw new JsonSyntaxError(path(), "the key __proto__ is not accepted");
    frame.keys.add(value);
  }
  if (!value.isWellFormed()) throw new JsonSyntaxError(path(), "a lone surrogate is not a character");
}

function isRounded(token: string): boolean {
  const value = Number(token);
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function isU64(token: string): boolean {
  return /^\d{1,20}$/.test(token) && BigInt(token) <= MAX_U64;
}

function refuseNumber(token: string, path: JsonPath): never {
  const problem = Number.isFinite(Number(token))
    ? "is an integer beyond 2^53-1 and would be rounded; send it as a string"
    : "overflows a double";
  throw new JsonSyntaxError(path, `${brief(token)} ${problem}`);
}

function unescape(token: string): string {
  if (!token.includes("\\")) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    // Not JSON: the parse that follows this scan says so.
    return "";
  }
}

/** Where the string that starts at a quote ends, behind its closing quote. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') return at + 1;
    if (char === "\\") at += 1;
  }
  return text.length;
}

function numberAt(text: string, at: number): string | undefined {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0];
}

function brief(token: string): string {
  return token.length <= 40 ? token : `${token.slice(0, 40)}…`;
}
