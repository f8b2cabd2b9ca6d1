import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { JsonValue } from "../contract/json.js";
import { canonicalJson } from "../log/canonical-text.js";

/**
 * `"sha256:"` and the lower-case hex SHA-256 of a value's canonical text: what `modelIntent` takes as `requestHash`. The same as
 * the server computes, without anything of Node: a browser's own digest answers late, and not everywhere.
 *
 * @example
 * console.log(hashValue({ b: 1, a: [] }) === hashValue({ a: [], b: 1 })); // true
 */
export function hashValue(value: JsonValue): string {
  return `sha256:${bytesToHex(sha256(new TextEncoder().encode(canonicalJson(value))))}`;
}
