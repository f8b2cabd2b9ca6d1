import type { JsonValue } from "../contract/json.js";

/** What JSON keeps of a value of somebody else's: members that are `undefined` or functions are left out. */
export function jsonOf(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
