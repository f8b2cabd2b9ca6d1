import { ts } from "./typescript.js";
import { arrayArgument } from "./follow-node.js";
import { indexOf } from "./index-signature.js";
import { memberShapes } from "./member-shapes.js";
import type { Normaliser, TypePlace } from "./normaliser.js";
import type { Shape } from "./shape.js";

/** The shape of an array or a tuple. */
export function arrayShape(walk: Normaliser, type: ts.TypeReference, place: TypePlace): Shape {
  const { checker } = walk;
  if (checker.isTupleType(type)) return tupleShape(walk, type, place);
  const [item] = checker.getTypeArguments(type);
  if (item === undefined || item.flags & ts.TypeFlags.Never) return { tag: "empty-array" };
  const { node } = place;
  const itemNode =
    node === undefined
      ? undefined
      : ts.isArrayTypeNode(node)
        ? node.elementType
        : ts.isTypeReferenceNode(node)
          ? arrayArgument(checker, node)
          : undefined;
  return {
    tag: "array",
    item: walk.visit(item, { path: `${place.path}[]`, where: place.where, node: itemNode }),
  };
}

function tupleShape(walk: Normaliser, type: ts.TypeReference, place: TypePlace): Shape {
  const types = walk.checker.getTypeArguments(type);
  const { elementFlags } = type.target as ts.TupleType;
  const nodes = place.node !== undefined && ts.isTupleTypeNode(place.node) ? place.node.elements : [];
  const items: Shape[] = [];
  let required = 0;
  let rest: Shape | undefined;
  for (const [at, item] of types.entries()) {
    const flags = elementFlags[at] ?? ts.ElementFlags.Required;
    const element = nodes.length === types.length ? nodes[at] : undefined;
    const here = { path: `${place.path}[${at}]`, where: element ?? place.where, node: elementType(element) };
    if (rest !== undefined || flags & ts.ElementFlags.Variadic) {
      return walk.refuse(
        place,
        "a rest element that is not the last cannot be said in a schema",
        "the rest at the end",
      );
    }
    const optional = (flags & ts.ElementFlags.Optional) !== 0;
    const shape = walk.visit(item, {
      ...here,
      where: walk.isAuthors(here.where) ? here.where : place.where,
      optional,
    });
    const docs =
      element !== undefined && ts.isNamedTupleMember(element) ? [{ doc: walk.docOf(element, here) }] : [];
    const documented = walk.documented(shape, { docs }, here);
    if (flags & ts.ElementFlags.Rest) rest = documented;
    else items.push(documented);
    if (flags & ts.ElementFlags.Required) required++;
  }
  return { tag: "tuple", items, required, ...(rest !== undefined && { rest }) };
}

function elementType(element: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (element === undefined) return undefined;
  if (ts.isNamedTupleMember(element)) return element.dotDotDotToken === undefined ? element.type : undefined;
  if (ts.isOptionalTypeNode(element)) return element.type;
  return ts.isRestTypeNode(element) ? undefined : element;
}

/** The shape of an object type or an intersection: what values of it look like in JSON. */
export function objectShape(walk: Normaliser, type: ts.Type, place: TypePlace): Shape {
  if (walk.isImpossible(type)) return walk.refuseNever(place);
  if (type.flags & ts.TypeFlags.Intersection) {
    const { types } = type as ts.IntersectionType;
    const primitive = types.find((part) => (part.flags & ts.TypeFlags.Object) === 0);
    if (primitive !== undefined) return brandedShape(walk, primitive, types, place);
    for (const part of types) {
      const refused = refuseForeign(walk, part, place);
      if (refused !== undefined) return refused;
    }
  }
  const refused = refuseForeign(walk, type, place);
  if (refused !== undefined) return refused;
  const index = indexOf(walk, type, place);
  if (index === "refused") return walk.refused();
  const members = memberShapes(walk, type, place, index);
  return { tag: "object", members, ...(index !== undefined && { index }) };
}

/** What is no plain data: functions, arrays in disguise, the standard library's objects. */
function refuseForeign(walk: Normaliser, type: ts.Type, place: TypePlace): Shape | undefined {
  const { checker } = walk;
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    return walk.refuse(place, "a function is not JSON", "plain data; keep functions in the tool class");
  }
  const symbol = type.getSymbol();
  if (symbol !== undefined && symbol.flags & (ts.SymbolFlags.ValueModule | ts.SymbolFlags.NamespaceModule)) {
    return walk.refuse(place, "a module is not data", "the members that are meant");
  }
  const isDeclared = symbol !== undefined && symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class);
  if (isDeclared && walk.isStandard(symbol)) return walk.refuseStandard(symbol.name, place, "is");
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    return walk.refuse(
      place,
      "an Array with further members is not JSON",
      "an object with a member for the items",
    );
  }
  const base = foreignBase(walk, type);
  return base === undefined ? undefined : walk.refuseStandard(base, place, "extends");
}

/** The type of the standard library that an interface or class extends, however far up. */
function foreignBase(walk: Normaliser, type: ts.Type, depth = 0): string | undefined {
  const target = (type as Partial<ts.TypeReference>).target ?? type;
  for (const base of target.getBaseTypes() ?? []) {
    if (walk.checker.isTupleType(base)) return "Array";
    const symbol = base.getSymbol();
    const isDeclared =
      symbol !== undefined && symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class);
    if (isDeclared && walk.isStandard(symbol)) return symbol.name;
    const above = depth < 50 ? foreignBase(walk, base, depth + 1) : undefined;
    if (above !== undefined) return above;
  }
  return undefined;
}

/** A primitive with a brand: the brand exists for the compiler only, so the value is the primitive. */
function brandedShape(
  walk: Normaliser,
  primitive: ts.Type,
  types: readonly ts.Type[],
  place: TypePlace,
): Shape {
  const { checker } = walk;
  const apparent = checker.getApparentType(primitive);
  for (const part of types) {
    if (part === primitive) continue;
    if ((part.flags & ts.TypeFlags.Object) === 0) {
      return walk.refuse(
        place,
        "an intersection of two primitive types cannot be said in a schema",
        "one of them",
      );
    }
    const real = checker
      .getPropertiesOfType(part)
      .find(({ name }) => checker.getPropertyOfType(apparent, name));
    if (real !== undefined) {
      const message = `the intersection narrows the member ${real.name}, which every ${checker.typeToString(primitive)} has`;
      return walk.refuse(place, message, "a brand with a member of its own, such as __brand");
    }
  }
  return walk.visit(primitive, { path: place.path, where: place.where });
}
