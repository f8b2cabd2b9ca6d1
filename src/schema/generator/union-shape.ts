import { ts } from "./typescript.js";
import { aliasOf, bare, reportLostAlias, reportLostTags } from "./follow-node.js";
import type { Normaliser, TypePlace } from "./normaliser.js";
import type { Declaration, Shape } from "./shape.js";

/** The shape of a union, or of those of its parts that are given. */
export function unionShape(
  walk: Normaliser,
  type: ts.UnionType,
  place: TypePlace,
  parts: readonly ts.Type[] = type.types,
): Shape {
  const nodes =
    place.node === undefined ? new Map<ts.Type, ts.TypeNode>() : memberNodes(walk, place.node, place);
  const possible = parts.filter((part) => !walk.isImpossible(part));
  if (possible.length === 0) return walk.refuseNever(place);
  return unionOf(
    possible.map((part) => walk.visit(part, { ...place, node: nodes.get(part), direct: false })),
  );
}

/** One shape for several: nested unions opened, `true | false` made one, repeated literals dropped. */
export function unionOf(shapes: readonly Shape[]): Shape {
  const literals = new Set<string | number | boolean>();
  const others: Shape[] = [];
  const named = new Set<Declaration>();
  for (const shape of shapes.flatMap((shape) => (shape.tag === "union" ? shape.members : [shape]))) {
    if (shape.tag === "literal") literals.add(shape.value);
    else if (shape.tag !== "named" || !named.has(shape.declaration)) others.push(shape);
    if (shape.tag === "named") named.add(shape.declaration);
  }
  if (literals.has(true) && literals.has(false)) {
    literals.delete(true);
    literals.delete(false);
    others.push({ tag: "boolean" });
  }
  const members = [...[...literals].map((value): Shape => ({ tag: "literal", value })), ...others];
  const [only] = members;
  return members.length === 1 && only !== undefined ? only : { tag: "union", members };
}

/** The nodes that a union was written with, by the type that each stands for. */
function memberNodes(walk: Normaliser, node: ts.TypeNode, place: TypePlace): Map<ts.Type, ts.TypeNode> {
  const found = new Map<ts.Type, ts.TypeNode>();
  const add = (member: ts.TypeNode, depth: number): void => {
    const plain = bare(member);
    if (ts.isUnionTypeNode(plain)) {
      for (const part of plain.types) add(part, depth);
      return;
    }
    const type = walk.checker.getTypeFromTypeNode(plain);
    const alias = ts.isTypeReferenceNode(plain) ? aliasOf(walk.checker, plain) : undefined;
    if (type.flags & ts.TypeFlags.Union && alias !== undefined && depth < 20) {
      // The parts of the union are looked at one by one, so what is said about all of it has no place.
      reportLostAlias(walk, alias, place);
      if (alias.declaration.typeParameters === undefined) add(alias.declaration.type, depth + 1);
      else reportLostTags(walk, plain, place);
    } else {
      found.set(type, plain);
    }
  };
  add(node, 0);
  return found;
}
