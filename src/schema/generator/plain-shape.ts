import { ts } from "./typescript.js";
import type { Normaliser, TypePlace } from "./normaliser.js";
import type { Shape } from "./shape.js";
import { templatePattern } from "./template-pattern.js";

/** The shape of a type without parts, or its refusal; `undefined` for types that have parts. */
export function plainShape(walk: Normaliser, type: ts.Type, place: TypePlace): Shape | undefined {
  const { flags } = type;
  if (flags & ts.TypeFlags.Union) return flags & ts.TypeFlags.Boolean ? { tag: "boolean" } : undefined;
  if (flags & ts.TypeFlags.Unknown) return { tag: "unknown" };
  if (flags & ts.TypeFlags.Null) return { tag: "null" };
  if (flags & ts.TypeFlags.String) return { tag: "string" };
  if (flags & ts.TypeFlags.Number) return { tag: "number" };
  if (flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLiteral)) {
    return literalShape(walk, (type as ts.LiteralType).value as string | number, place);
  }
  if (flags & ts.TypeFlags.BooleanLiteral) {
    return { tag: "literal", value: walk.checker.typeToString(type) === "true" };
  }
  if (flags & ts.TypeFlags.TemplateLiteral) return templateShape(walk, type as ts.TemplateLiteralType, place);
  const refusal = refusalOf(walk, type);
  return refusal && walk.refuse(place, ...refusal);
}

/** Why JSON cannot carry a type without parts, and what to write instead. */
function refusalOf(walk: Normaliser, type: ts.Type): readonly [message: string, hint: string] | undefined {
  const { flags } = type;
  if (flags & ts.TypeFlags.Any) {
    return (type as { readonly intrinsicName?: string }).intrinsicName === "error"
      ? ["the type does not resolve, so it is any", "check the import and the name"]
      : [
          "any allows everything, so no schema can guard it",
          "the type that it is, or unknown when it may be any JSON",
        ];
  }
  if (flags & ts.TypeFlags.Never)
    return ["never has no value, so nothing could be given here", "leave it out"];
  if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) {
    return ["undefined is not JSON", "null, or for a member an optional one: name?: T"];
  }
  if (flags & ts.TypeFlags.BigIntLike) {
    return ["bigint is not JSON", "string, holding the digits, with /** @pattern ^-?\\d+$ */"];
  }
  if (flags & ts.TypeFlags.ESSymbolLike) return ["a symbol is not JSON", "a string literal"];
  if (flags & ts.TypeFlags.Enum) {
    return ["an enum with a computed member has no fixed values", "give every member a literal value"];
  }
  if (flags & ts.TypeFlags.StringMapping) {
    return [
      `${walk.checker.typeToString(type)} cannot be said in a schema`,
      "string, with /** @pattern ... */",
    ];
  }
  if (flags & ts.TypeFlags.NonPrimitive) {
    return ["object says nothing about its members", "the members, or Record<string, unknown>"];
  }
  return undefined;
}

function literalShape(walk: Normaliser, value: string | number, place: TypePlace): Shape {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return walk.refuse(place, `${value} is not JSON`, "a finite number");
  }
  if (typeof value === "string" && !value.isWellFormed()) {
    return walk.refuse(place, "the literal has a lone surrogate, which is not JSON", "a whole character");
  }
  return { tag: "literal", value };
}

function templateShape(walk: Normaliser, type: ts.TemplateLiteralType, place: TypePlace): Shape {
  const pattern = templatePattern(type);
  if (pattern !== undefined) return { tag: "pattern", pattern };
  return walk.refuse(
    place,
    `${walk.checker.typeToString(type)} has a place that is no plain string or number`,
    "string, with /** @pattern ... */",
  );
}
