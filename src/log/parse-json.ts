import type { JsonValue } from "../contract/json.js";
import type { JsonPath } from "./json-path.js";
import { JsonSyntaxError } from "./json-syntax-error.js";
import { scanJson } from "./scan-json.js";

/** The deepest nesting of arrays and objects that is read. */
export const MAX_DEPTH = 128;

const MAX_U64 = 2n ** 64n - 1n;

export interface ParseOptions {
  /**
   * Where an unsigned 64-bit integer may stand. There it is read as a bigint, always; everywhere else an integer beyond
   * 2^53-1 is refused.
   */
  readonly u64At?: (path: JsonPath) => boolean;
  /** The deepest nesting that is read; {@link MAX_DEPTH} unless given. An answer nests what a request held a little deeper. */
  readonly maxDepth?: number;
}

/**
 * Reads JSON without losing anything: a duplicate key, `__proto__` as a key, a lone surrogate, an integer that a double
 * would round, a number that overflows one, and nesting that is too deep are refused (docs/http-api.md, "JSON").
 *
 * @param source JSON text, or the UTF-8 bytes of it.
 * @throws {@link JsonSyntaxError} naming the path.
 */
export function parseJson(source: string | Uint8Array, options: ParseOptions = {}): JsonValue {
  const text = typeof source === "string" ? source : decodeUtf8(source);
  // The scan comes first: it is iterative, and it bounds the depth that everything after it may recurse to.
  const kept = scanJson(text, { maxDepth: options.maxDepth ?? MAX_DEPTH, keepDigitsAt: options.u64At });
  const value = parseText(text);
  for (const { path, text: digits } of kept) replaceAt(value, path, readU64(path, digits));
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new JsonSyntaxError([], "not valid UTF-8", { cause });
  }
}

function parseText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new JsonSyntaxError([], cause instanceof Error ? `not JSON: ${cause.message}` : "not JSON", {
      cause,
    });
  }
}

function readU64(path: JsonPath, digits: string): bigint {
  // `1e3` and `1.0` are integers too, as long as a double holds them exactly.
  const value = /^\d+$/.test(digits) ? BigInt(digits) : Number(digits);
  if (typeof value === "bigint" ? value <= MAX_U64 : Number.isSafeInteger(value) && value >= 0)
    return BigInt(value);
  throw new JsonSyntaxError(path, `${digits.slice(0, 40)} is not an unsigned 64-bit integer`);
}

function replaceAt(root: JsonValue, path: JsonPath, value: bigint): void {
  let parent: unknown = { root };
  let last: string | number = "root";
  for (const step of path) {
    parent = (parent as Record<string | number, unknown>)[last];
    last = step;
  }
  (parent as Record<string | number, unknown>)[last] = value;
}
