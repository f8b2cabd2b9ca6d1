import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import type { JsonValue } from "../contract/json.js";

/**
 * The canonical text of a JSON value (RFC 8785): equal values have equal texts, whatever the order of their keys.
 *
 * @throws TypeError when the value is not JSON (`undefined`, NaN, an infinity).
 */
export function canonicalJson(value: JsonValue): string {
  const text = serialize(value);
  if (text === undefined) throw new TypeError(`not a JSON value: ${typeof value}`);
  return text;
}

function serialize(value: JsonValue): string | undefined {
  try {
    return (canonicalize as unknown as (value: unknown) => string | undefined)(value);
  } catch (cause) {
    throw new TypeError(`not a JSON value: ${String(cause)}`, { cause });
  }
}

/** `"sha256:"` and the lower-case hex SHA-256 of the canonical text: equal for equal values, whatever their key order. */
export function hashValue(value: JsonValue): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** The lower-case hex SHA-256 of a text's UTF-8 bytes. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
