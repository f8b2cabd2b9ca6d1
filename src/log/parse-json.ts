import type { JsonValue } from "../contract/json.js";
import type { JsonPath } from "./json-path.js";
import { JsonSyntaxError } from "./json-syntax-error.js";
import { scanJson } from "./scan-json.js";

/** The deepest nesting of arrays and objects that is read. */
export const MAX_DEPTH = 128;

export interface ParseOptions {
  /**
   * Where an unsigned 64-bit integer may stand. There an integer beyond 2^53-1, up to 2^64-1 and in plain digits, is read
   * as a bigint; everywhere else it is refused.
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
  const large = scanJson(text, { maxDepth: options.maxDepth ?? MAX_DEPTH, u64At: options.u64At });
  const value = parseText(text);
  for (const { path, text: digits } of large) replaceAt(value, path, BigInt(digits));
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

function replaceAt(root: JsonValue, path: JsonPath, value: bigint): void {
  let parent: unknown = { root };
  let last: string | number = "root";
  for (const step of path) {
    parent = (parent as Record<string | number, unknown>)[last];
    last = step;
  }
  (parent as Record<string | number, unknown>)[last] = value;
}
