import type { JsonValue } from "../../contract/json.js";

/** What JSON keeps of a value of the AI SDK: bytes in base64, as its own messages carry them; what is `undefined` is left out. */
export function plainJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, said: unknown) {
    // Before a Buffer's own toJSON, which would spell out each byte.
    const found = this[key];
    return found instanceof Uint8Array ? base64Of(found) : said;
  });
  return JSON.parse(text) as JsonValue;
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
