import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";

/** What a header may be called (RFC 9110, "Tokens"). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A value that a header carries as it is: ASCII that is seen, without blanks around it. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/**
 * The headers that repeat a call's arguments to what stands before a web server (Model Context Protocol 2026-07-28, "Streamable
 * HTTP": a property whose schema has `x-mcp-header`). A server refuses a call that lacks one.
 */
export function paramHeaders(schema: JsonObject, args: JsonObject): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const visit = (at: JsonObject, value: JsonObject): void => {
    const properties = ownValue(at, "properties");
    if (!isJsonObject(properties)) return;
    for (const [key, property] of Object.entries(properties)) {
      const argument = ownValue(value, key);
      if (!isJsonObject(property) || argument === undefined) continue;
      const name = ownValue(property, "x-mcp-header");
      const isHeader = typeof name === "string" && TOKEN.test(name) && TYPES.has(ownValue(property, "type"));
      if (isHeader && isPrimitive(argument)) headers[`Mcp-Param-${name}`] = encoded(String(argument));
      if (isJsonObject(argument)) visit(property, argument);
    }
  };
  visit(schema, args);
  return headers;
}

function isPrimitive(value: JsonValue): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function encoded(text: string): string {
  const isPlain = PLAIN.test(text) && !(text.startsWith("=?base64?") && text.endsWith("?="));
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
