/** A JSON value, as RFC 8259 has it, held in plain data. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Only own properties count, everywhere: read it with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema: an object, or `true` (anything) or `false` (nothing). */
export type JsonSchema = JsonObject | boolean;

/** Whether a value is a JSON object: not null, not an array, not a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member of an object under a key of its own, else `undefined`: an inherited member is no member. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
