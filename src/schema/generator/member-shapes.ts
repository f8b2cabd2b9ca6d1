import { ts } from "./typescript.js";
import { detachedAtEnd, detachedBefore, detachedInside } from "./detached-comments.js";
import { recordValue } from "./follow-node.js";
import type { Normaliser, TypePlace } from "./normaliser.js";
import type { Place } from "./reporter.js";
import type { Member, ObjectShape } from "./shape.js";

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** The members of an object type, each with what its doc comments say. */
export function memberShapes(
  walk: Normaliser,
  type: ts.Type,
  place: TypePlace,
  index: ObjectShape["index"],
): readonly Member[] {
  const members: Member[] = [];
  const parents = new Set<ts.Node>();
  for (const property of walk.checker.getPropertiesOfType(type)) {
    const declarations = (property.declarations ?? []).filter(isMemberNode);
    const own = declarations.find((node) => walk.isAuthors(node));
    const here: Place = { path: memberPath(place.path, shownName(property)), where: own ?? place.where };
    // It can only be left out, and what is not named cannot be given.
    if (index === undefined && isAbsent(walk, property, declarations)) continue;
    const member = refuseMember(walk, property, declarations, here)
      ? undefined
      : memberShape(walk, property, declarations, here, recordValue(walk, place.node));
    if (member !== undefined) {
      checkAgainstIndex(walk, type, property, here, index);
      members.push(member);
    }
    for (const node of declarations) {
      if (!walk.isAuthors(node)) continue;
      reportDetached(walk, node, detachedBefore(node), here);
      const written = typeNodeOf(node);
      const name = ts.getNameOfDeclaration(node);
      if (written !== undefined && name !== undefined) {
        reportDetached(walk, node, detachedInside(name.end, written), here);
      }
      const { parent } = node;
      if (isMemberList(parent) && parent.members.at(-1) === node && !parents.has(parent)) {
        parents.add(parent);
        reportDetached(walk, node, detachedAtEnd(parent.members, node.getSourceFile()), here);
      }
    }
  }
  return members;
}

function memberShape(
  walk: Normaliser,
  property: ts.Symbol,
  declarations: readonly ts.Node[],
  here: Place,
  fallback: ts.TypeNode | undefined,
): Member {
  const type = walk.checker.getTypeOfSymbol(property);
  const written = [...declarations.map(typeNodeOf), fallback].filter((node) => node !== undefined);
  if (
    type.flags & ts.TypeFlags.Undefined &&
    written.some(({ kind }) => kind === ts.SyntaxKind.NeverKeyword)
  ) {
    const shape = walk.refuse(here, "never has no value, so nothing could be given here", "leave it out");
    return { name: property.name, optional: true, shape };
  }
  const node = written.find((candidate) => saysSame(walk.checker, candidate, type));
  const shape = walk.visit(type, { ...here, node, direct: declarations.length === 1, optional: true });
  const docs = declarations.map((declaration) => ({ doc: walk.docOf(declaration, here) }));
  return {
    name: property.name,
    optional: (property.flags & ts.SymbolFlags.Optional) !== 0 || includesUndefined(type),
    shape: walk.documented(shape, { docs }, here),
  };
}

/** Whether a member is optional and has no other value than `undefined`, as in what a union of object literals is made into. */
function isAbsent(walk: Normaliser, property: ts.Symbol, declarations: readonly ts.Node[]): boolean {
  if (!(property.flags & ts.SymbolFlags.Optional)) return false;
  if (!(walk.checker.getTypeOfSymbol(property).flags & ts.TypeFlags.Undefined)) return false;
  return !declarations.some((node) => typeNodeOf(node)?.kind === ts.SyntaxKind.NeverKeyword);
}

/** Refuses a member that JSON cannot carry, whatever its type. */
function refuseMember(
  walk: Normaliser,
  property: ts.Symbol,
  declarations: readonly ts.Node[],
  here: Place,
): boolean {
  const [message, hint] = memberFault(property, declarations) ?? [];
  if (message === undefined || hint === undefined) return false;
  walk.refuse(here, message, hint);
  return true;
}

function memberFault(
  property: ts.Symbol,
  declarations: readonly ts.Node[],
): readonly [string, string] | undefined {
  if (property.name === "__proto__") return ["a member called __proto__ is not safe in JSON", "another name"];
  if (property.name.startsWith("__@"))
    return ["a member with a symbol as its name is not JSON", "a string as its name"];
  if (!property.name.isWellFormed())
    return ["the name has a lone surrogate, which is not JSON", "another name"];
  if (
    declarations.some(
      (node) => ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name),
    )
  ) {
    return ["a private member is not data", "an interface with the public members"];
  }
  const modifiers = declarations.map((node) => ts.getCombinedModifierFlags(node as ts.Declaration));
  if (modifiers.some((flags) => flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))) {
    return ["a private or protected member is not data", "an interface with the public members"];
  }
  if (property.flags & ts.SymbolFlags.Accessor || declarations.some(ts.isAutoAccessorPropertyDeclaration)) {
    return ["an accessor is code, not data", "a property"];
  }
  if (property.flags & ts.SymbolFlags.Method)
    return ["a method is code, not data", "an interface without methods"];
  return undefined;
}

/** An intersection may demand both of a member: its own type and that of the index signature. */
function checkAgainstIndex(
  walk: Normaliser,
  type: ts.Type,
  property: ts.Symbol,
  here: Place,
  index: ObjectShape["index"],
): void {
  if (index === undefined) return;
  if (index.keyPattern !== undefined) {
    if (!new RegExp(index.keyPattern, "u").test(property.name)) return;
    walk.refuse(
      here,
      "the index signature covers this member too, which cannot be said in a schema",
      "another name",
    );
    return;
  }
  const [info] = walk.checker.getIndexInfosOfType(type);
  const own = walk.checker.getTypeOfSymbol(property);
  if (info === undefined || walk.checker.isTypeAssignableTo(walk.checker.getNonNullableType(own), info.type))
    return;
  walk.refuse(here, "the member does not fit the index signature, so no value would", "types that agree");
}

/** Reports doc comments that belong to nothing. */
export function reportDetached(
  walk: Normaliser,
  node: ts.Node,
  comments: readonly { readonly pos: number; readonly end: number }[],
  here: Place,
): void {
  for (const span of comments) {
    walk.reporter.atSpan(
      { path: here.path, where: node },
      span,
      "this doc comment is not attached to any member, so what it says would be lost",
      "put it on lines of its own, directly above the member, one for each member",
    );
  }
}

/** A member's name as its author knows it: one that is a symbol has no text of its own. */
function shownName(property: ts.Symbol): string {
  const [declaration] = property.declarations ?? [];
  const name = declaration === undefined ? undefined : ts.getNameOfDeclaration(declaration);
  return property.name.startsWith("__@") && name !== undefined ? name.getText() : property.name;
}

/** The path of a member. */
export function memberPath(path: string, name: string): string {
  if (name.startsWith("[")) return path + name;
  return PLAIN_NAME.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

function isMemberNode(node: ts.Node): boolean {
  return (
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isAccessor(node) ||
    ts.isMethodSignature(node) ||
    ts.isMethodDeclaration(node)
  );
}

function isMemberList(node: ts.Node): node is ts.Node & { readonly members: ts.NodeArray<ts.Node> } {
  return ts.isTypeLiteralNode(node) || ts.isInterfaceDeclaration(node) || ts.isClassLike(node);
}

function typeNodeOf(node: ts.Node): ts.TypeNode | undefined {
  return ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)
    ? node.type
    : undefined;
}

/** Whether a node means the type, setting `undefined` aside: a mapped type keeps the declaration and changes the type. */
function saysSame(checker: ts.TypeChecker, node: ts.TypeNode, type: ts.Type): boolean {
  const written = partsOf(checker.getTypeFromTypeNode(node));
  const actual = partsOf(type);
  return written.length === actual.length && written.every((part) => actual.includes(part));
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  const parts = type.isUnion() ? type.types : [type];
  return parts.filter((part) => !(part.flags & ts.TypeFlags.Undefined));
}

function includesUndefined(type: ts.Type): boolean {
  return type.isUnion() && type.types.some((part) => part.flags & ts.TypeFlags.Undefined);
}
