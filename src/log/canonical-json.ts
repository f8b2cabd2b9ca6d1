import { hash } from "node:crypto";
import type { JsonValue } from "../contract/json.js";
import { canonicalJson } from "./canonical-text.js";

export { canonicalJson };

/** `"sha256:"` and the lower-case hex SHA-256 of the canonical text: equal for equal values, whatever their key order. */
export function hashValue(value: JsonValue): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** The lower-case hex SHA-256 of a text's UTF-8 bytes. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}
