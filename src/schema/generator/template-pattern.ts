import { ts } from "./typescript.js";

/** A number as JavaScript and TypeScript write it inside a string. */
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const BIGINT = String.raw`-?(?:0|[1-9]\d*)`;
const STRING = String.raw`[\s\S]*`;

/** The keys of a number index signature: every number as it is written when it is a property's name. */
export const NUMBER_KEY = String.raw`^(?:0|-?(?:[1-9]\d*(?:\.\d*[1-9])?|0\.\d*[1-9])(?:e[+-]\d+)?)$`;

/** The anchored pattern of a template literal type; `undefined` when one of its places is no plain string, number or bigint. */
export function templatePattern(type: ts.TemplateLiteralType): string | undefined {
  let pattern = escapePattern(type.texts[0] ?? "");
  for (const [at, place] of type.types.entries()) {
    const part = placePattern(place);
    if (part === undefined) return undefined;
    pattern += part + escapePattern(type.texts[at + 1] ?? "");
  }
  return `^${pattern}$`;
}

function placePattern(place: ts.Type): string | undefined {
  if (place.flags & ts.TypeFlags.String) return STRING;
  if (place.flags & ts.TypeFlags.Number) return NUMBER;
  if (place.flags & ts.TypeFlags.BigInt) return BIGINT;
  return undefined;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
