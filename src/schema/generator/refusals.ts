/** What to write instead of a type from the standard library that JSON cannot carry. */
const INSTEAD: { readonly [name: string]: string } = {
  Date: "string, with /** @format date-time */, and make the Date in the handler",
  Map: "Record<string, V>, or an array of entries",
  ReadonlyMap: "Record<string, V>, or an array of entries",
  Set: "an array, with /** @uniqueItems */",
  ReadonlySet: "an array, with /** @uniqueItems */",
  Promise: "the type that it resolves to",
  PromiseLike: "the type that it resolves to",
  RegExp: "string, holding the pattern",
  Error: "an object with a message",
  URL: "string, with /** @format uri */",
  Array: "the array itself: T[]",
  ReadonlyArray: "the array itself: readonly T[]",
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Object: "an object type with the members it has, or Record<string, unknown>",
  Function: "plain data; keep functions in the tool class",
  Symbol: "a string literal",
  BigInt: "string, holding the digits",
};

/** What to write instead of a type of the standard library. */
export function insteadOf(name: string): string {
  if (Object.hasOwn(INSTEAD, name)) return INSTEAD[name] ?? "";
  if (/Array$|Buffer$|^DataView$/.test(name)) return "string, holding the bytes as base64, or number[]";
  return "a plain object type with the members that are needed";
}
