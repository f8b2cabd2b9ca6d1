import { isEmptyDoc, type Doc } from "./doc.js";
import type { Declaration, Shape } from "./shape.js";

export interface Comparison {
  /** Whether both stand for the same values, what doc comments say set aside. */
  readonly same: boolean;
  /** Whether the first, or the second, says anything in doc comments that the other does not. */
  readonly docsDiffer: { readonly first: boolean; readonly second: boolean };
}

/** Compares two shapes, names set aside: two types that are written differently may say the same. */
export function compareShapes(first: Shape, second: Shape): Comparison {
  const differ = { first: false, second: false };
  const met = new Map<Declaration, Set<Declaration>>();

  const docs = (a: Doc | undefined, b: Doc | undefined): void => {
    const one = a === undefined || isEmptyDoc(a) ? undefined : JSON.stringify(a);
    const other = b === undefined || isEmptyDoc(b) ? undefined : JSON.stringify(b);
    if (one === other) return;
    if (one !== undefined) differ.first = true;
    if (other !== undefined) differ.second = true;
  };

  const same = (a: Shape, b: Shape): boolean => {
    if (a.tag === "named" && b.tag === "named") {
      if (a.declaration === b.declaration || met.get(a.declaration)?.has(b.declaration)) return true;
      met.set(a.declaration, (met.get(a.declaration) ?? new Set()).add(b.declaration));
    }
    if (a.tag === "documented" || b.tag === "documented") {
      const [docA, innerA] = opened(a);
      const [docB, innerB] = opened(b);
      docs(docA, docB);
      return same(innerA, innerB);
    }
    if (a.tag === "named") return same(a.declaration.shape, b);
    if (b.tag === "named") return same(a, b.declaration.shape);
    switch (a.tag) {
      case "literal":
        return b.tag === "literal" && a.value === b.value;
      case "pattern":
        return b.tag === "pattern" && a.pattern === b.pattern;
      case "array":
        return b.tag === "array" && same(a.item, b.item);
      case "tuple":
        return (
          b.tag === "tuple" && a.required === b.required && all(a.items, b.items) && optional(a.rest, b.rest)
        );
      case "union":
        return b.tag === "union" && a.members.length === b.members.length && paired(a.members, b.members);
      case "object":
        return b.tag === "object" && members(a, b);
      default:
        return a.tag === b.tag;
    }
  };

  const all = (a: readonly Shape[], b: readonly Shape[]): boolean =>
    a.length === b.length && a.every((item, at) => optional(item, b[at]));

  const optional = (a: Shape | undefined, b: Shape | undefined): boolean =>
    a === undefined || b === undefined ? a === b : same(a, b);

  /** Whether each member of one union has its own equal in the other; the order is the checker's, and means nothing. */
  const paired = (a: readonly Shape[], b: readonly Shape[]): boolean => {
    const left = [...b];
    return a.every((member) => {
      const before = { ...differ };
      const at = left.findIndex((candidate) => {
        Object.assign(differ, before);
        return same(member, candidate);
      });
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  };

  const members = (a: Extract<Shape, { tag: "object" }>, b: Extract<Shape, { tag: "object" }>): boolean => {
    if (a.members.length !== b.members.length || a.index?.keyPattern !== b.index?.keyPattern) return false;
    const others = new Map(b.members.map((member) => [member.name, member]));
    const fit = a.members.every((member) => {
      const other = others.get(member.name);
      return other?.optional === member.optional && same(member.shape, other.shape);
    });
    return fit && optional(a.index?.value, b.index?.value);
  };

  return { same: same(first, second), docsDiffer: differ };
}

function opened(shape: Shape): readonly [Doc | undefined, Shape] {
  if (shape.tag === "documented") return [shape.doc, shape.shape];
  // A name may stand before the docs of what it names.
  return shape.tag === "named" && shape.declaration.shape.tag === "documented"
    ? [shape.declaration.shape.doc, shape.declaration.shape.shape]
    : [undefined, shape];
}
