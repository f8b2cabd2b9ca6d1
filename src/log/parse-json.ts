import type { JsonValue } from "../contract/json.js";
import type { JsonPath } from "./json-path.js";
import { JsonSyntaxError } from "./json-syntax-error.js";
import { JsonScan } from "./scan-json.js";

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
  /** How many values, at all levels, may be there; any number unless given. */
  readonly maxValues?: number;
}

/**
 * Reads JSON without losing anything: a duplicate key, `__proto__` as a key, a lone surrogate, an integer that a double
 * would round, a number that overflows one, and nesting that is too deep are refused (docs/http-api.md, "JSON").
 *
 * @param source JSON text, or the UTF-8 bytes of it.
 * @throws {@link JsonSyntaxError} naming the path.
 */
export function parseJson(source: string | Uint8Array, options: ParseOptions = {}): JsonValue {
  const reading = new JsonReading(source, options);
  reading.advance(Number.POSITIVE_INFINITY);
  return reading.finish();
}

/** {@link parseJson} in pieces, for a long text that must not hold everything else up. */
export class JsonReading {
  readonly #text: string;
  readonly #scan: JsonScan;

  /** @throws {@link JsonSyntaxError} when bytes are not UTF-8. */
  constructor(source: string | Uint8Array, { maxDepth = MAX_DEPTH, maxValues, u64At }: ParseOptions = {}) {
    this.#text = typeof source === "string" ? source : decodeUtf8(source);
    this.#scan = new JsonScan(this.#text, { maxDepth, maxValues, u64At });
  }

  /**
   * Looks at so many characters more.
   *
   * @returns whether that was all of them.
   * @throws {@link JsonSyntaxError} naming the path.
   */
  advance(characters: number): boolean {
    return this.#scan.advance(characters);
  }

  /**
   * The value, once all of the text was looked at: the scan bounds the depth that everything after it may recurse to.
   *
   * @throws {@link JsonSyntaxError} when the text is not JSON.
   */
  finish(): JsonValue {
    const value = parseText(this.#text);
    for (const { path, text } of this.#scan.large) replaceAt(value, path, BigInt(text));
    return value;
  }
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
