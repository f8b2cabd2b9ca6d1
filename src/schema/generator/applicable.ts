import type { JsonValue } from "../../contract/json.js";
import { CONSTRAINTS, type ConstraintName, type Constraints, type Doc } from "./doc.js";
import type { Shape } from "./shape.js";

export interface Misplaced {
  readonly message: string;
  readonly hint: string;
}

type Kind = (typeof CONSTRAINTS)[ConstraintName];

/** The tags of a doc that a value of this shape cannot have, and those that contradict each other. */
export function applicable(doc: Doc, shape: Shape): readonly Misplaced[] {
  const items = itemShapes(shape);
  const onItems: Shape = { tag: "union", members: items };
  return [
    ...misplacedOn(doc.constraints, shape, ""),
    ...(items.length === 0 && Object.keys(doc.items).length > 0
      ? [misplaced(`items.${Object.keys(doc.items)[0] ?? ""}`, "array", shape)]
      : misplacedOn(doc.items, onItems, "items.")),
    ...contradictions(doc.constraints, ""),
    ...contradictions(doc.items, "items."),
  ];
}

/** The shapes, of those that a value may have, that a constraint on a kind of value narrows. */
export function narrowed(kind: Kind, shape: Shape): readonly Shape[] {
  switch (shape.tag) {
    case "union":
      return shape.members.flatMap((member) => narrowed(kind, member));
    case "documented":
      return narrowed(kind, shape.shape);
    case "pattern":
      return kind === "string" ? [shape] : [];
    default:
      return shape.tag === kind ? [shape] : [];
  }
}

/** What the items of the arrays among a shape's alternatives may be. */
export function itemShapes(shape: Shape): readonly Shape[] {
  return narrowed("array", shape).flatMap((found) => (found.tag === "array" ? [found.item] : []));
}

function misplacedOn(constraints: Constraints, shape: Shape, prefix: string): readonly Misplaced[] {
  return (Object.keys(constraints) as ConstraintName[]).flatMap((name) => {
    const kind = CONSTRAINTS[name];
    const targets = narrowed(kind, shape);
    if (targets.length === 0) return [misplaced(prefix + name, kind, shape)];
    if (
      givenInside(shape, name).some((value) => JSON.stringify(value) !== JSON.stringify(constraints[name]))
    ) {
      const message = `@${prefix}${name} has another value in the doc comment of the type itself`;
      return [{ message, hint: "keep one of them" }];
    }
    if (name === "pattern" && targets.some((target) => target.tag === "pattern")) {
      const message = `@${prefix}pattern does not apply to a template literal, which is a pattern already`;
      return [{ message, hint: "string with @pattern, or the template literal alone" }];
    }
    return [];
  });
}

/** The values that doc comments further inside give a constraint. */
function givenInside(shape: Shape, name: ConstraintName): readonly JsonValue[] {
  if (shape.tag === "union") return shape.members.flatMap((member) => givenInside(member, name));
  if (shape.tag !== "documented") return [];
  const own = shape.doc.constraints[name];
  return [...(own === undefined ? [] : [own]), ...givenInside(shape.shape, name)];
}

function misplaced(name: string, kind: Kind, shape: Shape): Misplaced {
  return {
    message: `@${name} does not apply to ${describe(shape)}: it is about ${kind === "array" ? "arrays" : `a ${kind}`}`,
    hint: "remove the tag, or move it to the member that it is meant for",
  };
}

const BOUNDS = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["exclusiveMinimum", "exclusiveMaximum"],
  ["minimum", "exclusiveMaximum"],
  ["exclusiveMinimum", "maximum"],
] as const;

function contradictions(constraints: Constraints, prefix: string): readonly Misplaced[] {
  return BOUNDS.flatMap(([low, high]) => {
    const from = constraints[low];
    const to = constraints[high];
    const strict = low.startsWith("exclusive") || high.startsWith("exclusive");
    if (typeof from !== "number" || typeof to !== "number" || (strict ? from < to : from <= to)) return [];
    const message = `@${prefix}${low} ${from} and @${prefix}${high} ${to} leave no value`;
    return [{ message, hint: "bounds that a value can keep" }];
  });
}

/** A shape in a few words. */
export function describe(shape: Shape): string {
  switch (shape.tag) {
    case "documented":
      return describe(shape.shape);
    case "named":
      return shape.declaration.baseName;
    case "literal":
      return JSON.stringify(shape.value);
    case "pattern":
      return "a template literal";
    case "object":
      return "an object";
    case "union":
      return shape.members.map(describe).join(" | ");
    case "empty-array":
      return "an empty array";
    case "array":
      return "an array";
    case "tuple":
      return "a tuple";
    default:
      return shape.tag;
  }
}
