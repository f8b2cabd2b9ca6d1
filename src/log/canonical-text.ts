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
