import { isJsonObject, type JsonValue } from "../../contract/json.js";

/** A JSON value as text, indented. A number that a double cannot hold stands in a log as a bigint, and keeps its digits. */
export function prettyJson(value: JsonValue): string {
  return written(value, "\n");
}

/** The same on one line. */
export function lineJson(value: JsonValue): string {
  return written(value, undefined);
}

function written(value: JsonValue | bigint, line: string | undefined): string {
  if (typeof value === "bigint") return String(value);
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) return JSON.stringify(value);
  const inner = line === undefined ? undefined : `${line}  `;
  const colon = line === undefined ? ":" : ": ";
  const parts = isList
    ? (value as readonly JsonValue[]).map((item) => written(item, inner))
    : Object.entries(value).map(([key, item]) => JSON.stringify(key) + colon + written(item, inner));
  const [open, close] = isList ? "[]" : "{}";
  if (parts.length === 0) return `${open ?? ""}${close ?? ""}`;
  return `${open ?? ""}${inner ?? ""}${parts.join(`,${inner ?? ""}`)}${line ?? ""}${close ?? ""}`;
}
