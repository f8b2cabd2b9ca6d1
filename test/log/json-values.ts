import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";

/** Keys that trip code which trusts prototypes. */
export const HOSTILE_KEYS = [
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
  "length",
  "__salvor_error",
];

const key = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom(...HOSTILE_KEYS, "a", "b"),
);

/** Any JSON value that this package accepts: no rounded integer, no lone surrogate, no `__proto__`. */
export const jsonValues: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1, "", "0"),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 52), max: 2 ** 52 }),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      key.filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;

/** The same value with the keys of every object in another order. */
export function reordered(value: JsonValue, picks: Iterator<number>): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reordered(item as JsonValue, picks));
  const members = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const result: Record<string, JsonValue> = {};
  while (members.length > 0) {
    const at = (picks.next().value as number) % members.length;
    const [[name, member] = ["", null]] = members.splice(at, 1);
    result[name] = reordered(member, picks);
  }
  return result;
}
