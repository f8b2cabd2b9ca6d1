import type { JsonPath } from "./json-path.js";
import { JsonSyntaxError } from "./json-syntax-error.js";

/** A number in a JSON text: where it stands and how it is written. */
export interface NumberToken {
  readonly path: JsonPath;
  readonly text: string;
}

export interface ScanRules {
  readonly maxDepth: number;
  /** How many values, at all levels, the text may hold; any number when absent. */
  readonly maxValues?: number | undefined;
  /** Places where an integer up to 2^64-1 may stand. */
  readonly u64At?: ((path: JsonPath) => boolean) | undefined;
}

interface Frame {
  /** The keys of an object that were seen so far; made with the first. */
  keys: Set<string> | undefined;
  /** Where the scan is in it: the key of an object, the index of an array. */
  step: string | number;
  atKey: boolean;
}

const MAX_U64 = 2n ** 64n - 1n;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const LONE_SURROGATE = "a lone surrogate is not a character";

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Looks for what `JSON.parse` would silently lose: duplicate keys, `__proto__`, lone surrogates, rounded integers,
 * overflowing numbers; and for nesting that is too deep. Iterative, one pass, and in pieces where a long text must not hold
 * everything else up. It does not judge the grammar: what it passes still has to be parsed.
 */
export class JsonScan {
  /** The integers beyond 2^53-1 at the places that may hold one. */
  readonly large: NumberToken[] = [];
  readonly #frames: Frame[] = [];
  #top: Frame | undefined;
  #at = 0;
  #values = 0;

  constructor(
    private readonly text: string,
    private readonly rules: ScanRules,
  ) {}

  /**
   * Scans at least so many characters more, to the end of the token there.
   *
   * @returns whether the end is reached.
   * @throws {@link JsonSyntaxError} naming the path.
   */
  advance(characters: number): boolean {
    const { text } = this;
    const stop = Math.min(text.length, this.#at + characters);
    while (this.#at < stop) {
      const char = text.charCodeAt(this.#at);
      if (char === QUOTE) this.#string();
      else if (char === MINUS || (char >= ZERO && char <= NINE)) this.#number();
      else {
        if (char === OPEN_OBJECT || char === OPEN_ARRAY) this.#enter(char === OPEN_OBJECT);
        else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) this.#leave();
        else if (char === COMMA) this.#nextMember();
        else if (char === COLON && this.#top !== undefined) this.#top.atKey = false;
        this.#at += 1;
      }
    }
    return this.#at >= text.length;
  }

  #enter(isObject: boolean): void {
    this.#count();
    const frames = this.#frames;
    if (frames.length >= this.rules.maxDepth) {
      throw new JsonSyntaxError(this.#path(), `nested deeper than ${this.rules.maxDepth} levels`);
    }
    this.#top = { keys: undefined, step: isObject ? "" : 0, atKey: isObject };
    frames.push(this.#top);
  }

  #leave(): void {
    this.#frames.pop();
    this.#top = this.#frames[this.#frames.length - 1];
  }

  #nextMember(): void {
    const top = this.#top;
    if (top === undefined) return;
    if (typeof top.step === "number") top.step += 1;
    else top.atKey = true;
  }

  #string(): void {
    const end = stringEnd(this.text, this.#at);
    const token = this.text.slice(this.#at, end);
    const top = this.#top;
    if (top?.atKey === true) this.#key(top, token.includes("\\") ? unescape(token) : token.slice(1, -1));
    else {
      this.#count();
      if (!isWellFormed(token)) throw new JsonSyntaxError(this.#path(), LONE_SURROGATE);
    }
    this.#at = end;
  }

  #key(object: Frame, key: string): void {
    object.step = key;
    object.keys ??= new Set();
    if (object.keys.has(key)) throw new JsonSyntaxError(this.#path(), "duplicate key");
    if (key === "__proto__") throw new JsonSyntaxError(this.#path(), "the key __proto__ is not accepted");
    if (!key.isWellFormed()) throw new JsonSyntaxError(this.#path(), LONE_SURROGATE);
    object.keys.add(key);
  }

  #number(): void {
    this.#count();
    NUMBER.lastIndex = this.#at;
    // A minus sign without a digit is no number; the parse that follows this scan says so.
    const token = NUMBER.exec(this.text)?.[0] ?? "-";
    this.#at += token.length;
    if (!isRounded(token)) return;
    if (!isU64(token) || this.rules.u64At?.(this.#path()) !== true) refuseNumber(token, this.#path());
    this.large.push({ path: this.#path(), text: token });
  }

  #count(): void {
    this.#values += 1;
    const { maxValues } = this.rules;
    if (maxValues !== undefined && this.#values > maxValues) {
      throw new JsonSyntaxError([], `holds more than ${maxValues} values`);
    }
  }

  #path(): JsonPath {
    return this.#frames.map(({ step }) => step);
  }
}

/** Whether a string token holds whole characters only. Most escapes are harmless: only those of surrogates are worth unescaping. */
function isWellFormed(token: string): boolean {
  return token.isWellFormed() && (!/\\u[dD]/.test(token) || unescape(token).isWellFormed());
}

function isRounded(token: string): boolean {
  const value = token === "-" ? 0 : Number(token);
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
  try {
    return JSON.parse(token) as string;
  } catch {
    // Not JSON: the parse that follows this scan says so.
    return "";
  }
}

/** Where the string that starts at a quote ends, behind its closing quote: the first that an even number of backslashes precedes. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return text.length;
}

function brief(token: string): string {
  return token.length <= 40 ? token : `${token.slice(0, 40)}…`;
}
