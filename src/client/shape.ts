import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../contract/json.js";

/** What is wrong with an answer's shape. */
export class ShapeProblem extends Error {
  override readonly name = "ShapeProblem";
}

/** What a member must be: a test and its words. */
export type Kind = readonly [test: (value: JsonValue) => boolean, words: string];

export const TEXT: Kind = [(value) => typeof value === "string", "a string"];
export const TEXT_OR_NULL: Kind = [
  (value) => value === null || typeof value === "string",
  "a string or null",
];
export const COUNT: Kind = [
  (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
  "a count",
];
export const U64: Kind = [
  (value: unknown) => typeof value === "bigint" || (Number.isSafeInteger(value) && Number(value) >= 0),
  "an unsigned integer",
];
export const FLAG: Kind = [(value) => typeof value === "boolean", "true or false"];
export const OBJECT: Kind = [isJsonObject, "an object"];
export const LIST: Kind = [(value) => Array.isArray(value), "a list"];
export const SCHEMA: Kind = [(value) => typeof value === "boolean" || isJsonObject(value), "a schema"];

/** The value `wanted`, and no other. */
export function only(wanted: JsonValue): Kind {
  return [(value) => value === wanted, JSON.stringify(wanted)];
}

/**
 * A value as an object whose members are of these kinds.
 *
 * @throws {@link ShapeProblem} naming the first member that is not.
 */
export function shaped(value: JsonValue, where: string, members: Readonly<Record<string, Kind>>): JsonObject {
  if (!isJsonObject(value)) throw new ShapeProblem(`${where} is not an object`);
  for (const [name, [test, words]] of Object.entries(members)) {
    const member = ownValue(value, name);
    if (member === undefined || !test(member)) throw new ShapeProblem(`${where}.${name} is not ${words}`);
  }
  return value;
}

/** The members of a list member of an object, each read by `read`. */
export function listOf<T>(object: JsonObject, name: string, read: (item: JsonValue) => T): readonly T[] {
  return (object[name] as readonly JsonValue[]).map(read);
}
