import { ts } from "./typescript.js";
import { detachedBefore, detachedInside } from "./detached-comments.js";
import { hasTags, type Doc } from "./doc.js";
import { reportDetached } from "./member-shapes.js";
import type { Normaliser, TypePlace } from "./normaliser.js";
import { hasSchemaTags } from "./read-doc.js";
import type { Place } from "./reporter.js";
import { namingSymbol } from "./type-names.js";

/** What the node of a type adds to the type itself: the docs of aliases that the checker does not keep, and the node behind them. */
export interface Followed {
  readonly node?: ts.TypeNode | undefined;
  readonly docs: readonly { readonly doc: Doc }[];
}

/**
 * Follows a type's node through aliases. The checker keeps no trace of `type Cents = number`, yet what its doc comment says
 * must not be lost.
 */
export function followNode(walk: Normaliser, type: ts.Type, place: TypePlace): Followed {
  const docs: { doc: Doc }[] = [];
  let node = place.node === undefined ? undefined : bare(place.node);
  for (
    let direct = place.direct ?? false;
    node !== undefined && ts.isTypeReferenceNode(node);
    direct = false
  ) {
    const alias = aliasOf(walk.checker, node);
    if (alias === undefined || isStandard(walk, alias.symbol)) break;
    const keepsName = namingSymbol(type) === alias.symbol && !(type.flags & ts.TypeFlags.Union);
    if (keepsName) break;
    if (alias.symbol.name === "integer" && type.flags & ts.TypeFlags.Number) {
      if (direct) docs.push({ doc: { constraints: { integer: true }, items: {} } });
      else reportInteger(walk, place, node);
    }
    const doc = walk.docOf(alias.declaration, place);
    if (walk.isAuthors(alias.declaration)) {
      const inside = detachedInside(alias.declaration.name.end, alias.declaration.type);
      reportDetached(walk, alias.declaration, inside, place);
    }
    if (alias.declaration.typeParameters !== undefined && hasTags(doc)) {
      walk.reporter.at(
        place,
        `the tags of the generic alias ${alias.symbol.name} cannot be carried here`,
        MOVE,
      );
      break;
    }
    docs.push({ doc });
    if (alias.declaration.typeParameters !== undefined) break;
    node = bare(alias.declaration.type);
  }
  if (node !== undefined) {
    docs.push(...enumDocs(walk, node, place));
    reportLostTags(walk, node, place);
  }
  return { node, docs };
}

/** What the doc comment of an enum says: in a schema it is its values, and has no name to keep the comment with. */
function enumDocs(walk: Normaliser, node: ts.TypeNode, place: TypePlace): readonly { readonly doc: Doc }[] {
  const declarations = ts.isTypeReferenceNode(node)
    ? (referenced(walk.checker, node)?.declarations ?? [])
    : [];
  return declarations.filter(ts.isEnumDeclaration).map((declaration) => {
    for (const member of declaration.members) {
      if (walk.isAuthors(member)) reportDetached(walk, member, detachedBefore(member), place);
      if (!hasSchemaTags(member)) continue;
      const where = walk.isAuthors(member) ? member : place.where;
      const message = "a schema tag does not apply to a member of an enum";
      walk.reporter.at(
        { path: place.path, where },
        message,
        "the tag on the member that has the enum as its type",
      );
    }
    return { doc: walk.docOf(declaration, place) };
  });
}

function referenced(checker: ts.TypeChecker, node: ts.TypeReferenceNode): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(node.typeName);
  return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias
    ? checker.getAliasedSymbol(symbol)
    : symbol;
}

const MOVE = "put the tags on the member itself";

/** The alias that a reference names, through imports. */
export function aliasOf(
  checker: ts.TypeChecker,
  node: ts.TypeReferenceNode,
): { readonly symbol: ts.Symbol; readonly declaration: ts.TypeAliasDeclaration } | undefined {
  const symbol = referenced(checker, node);
  const declaration = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
  return symbol === undefined || declaration === undefined ? undefined : { symbol, declaration };
}

/** A type node without parentheses and `readonly`. */
export function bare(node: ts.TypeNode): ts.TypeNode {
  if (ts.isParenthesizedTypeNode(node)) return bare(node.type);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) return bare(node.type);
  return node;
}

/**
 * Refuses tags that stand on an alias and that are about to be lost, because the alias is an argument of something
 * that only the checker resolves, such as `Page<Cents>`.
 */
export function reportLostTags(walk: Normaliser, node: ts.TypeNode, place: TypePlace): void {
  if (isFollowed(walk, node)) return;
  const look = (child: ts.Node): void => {
    if (ts.isTypeLiteralNode(child) || ts.isFunctionTypeNode(child)) return;
    if (ts.isTypeReferenceNode(child)) {
      const alias = aliasOf(walk.checker, child);
      if (alias !== undefined && !isStandard(walk, alias.symbol)) lostReference(walk, alias, child, place);
    }
    ts.forEachChild(child, look);
  };
  ts.forEachChild(node, look);
}

function lostReference(
  walk: Normaliser,
  alias: NonNullable<ReturnType<typeof aliasOf>>,
  node: ts.TypeReferenceNode,
  place: TypePlace,
): void {
  const type = walk.checker.getTypeFromTypeNode(node);
  if (alias.symbol.name === "integer" && type.flags & ts.TypeFlags.Number) reportInteger(walk, place, node);
  const keepsName = type.flags & ts.TypeFlags.Object && namingSymbol(type) === alias.symbol;
  if (!keepsName) reportLostAlias(walk, alias, walk.isAuthors(node) ? { ...place, where: node } : place);
}

/** Refuses an alias with tags that are not going to be in any schema. */
export function reportLostAlias(
  walk: Normaliser,
  { symbol, declaration }: NonNullable<ReturnType<typeof aliasOf>>,
  place: Place,
): void {
  if (!hasSchemaTags(declaration)) return;
  walk.reporter.at(place, `the tags of ${symbol.name} cannot be carried here`, MOVE);
}

function reportInteger(walk: Normaliser, place: TypePlace, node: ts.Node): void {
  const where = walk.isAuthors(node) ? node : place.where;
  walk.reporter.at(
    // The member is what has to change, however deep in its type the alias stands.
    { path: place.path.replace(/(?:\[[^\]]*\])+$/, ""), where },
    "an alias called integer does not make integers here: it is a number like any other",
    "number, with /** @integer */ on the member (on an array: @items.integer)",
  );
}

/** Whether the walk itself goes on into the node's parts with their nodes in hand. */
function isFollowed(walk: Normaliser, node: ts.TypeNode): boolean {
  if (ts.isArrayTypeNode(node) || ts.isTupleTypeNode(node) || ts.isUnionTypeNode(node)) return true;
  if (ts.isTypeLiteralNode(node)) return true;
  return (
    ts.isTypeReferenceNode(node) &&
    (arrayArgument(walk.checker, node) !== undefined || recordValue(walk, node) !== undefined)
  );
}

/** The node of the items, of `Array<T>` and `ReadonlyArray<T>`. */
export function arrayArgument(checker: ts.TypeChecker, node: ts.TypeReferenceNode): ts.TypeNode | undefined {
  const symbol = checker.getSymbolAtLocation(node.typeName);
  return symbol?.name === "Array" || symbol?.name === "ReadonlyArray" ? node.typeArguments?.[0] : undefined;
}

/** The node of the values, of `Record<K, V>`. */
export function recordValue(walk: Normaliser, node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (node === undefined || !ts.isTypeReferenceNode(node)) return undefined;
  const symbol = walk.checker.getSymbolAtLocation(node.typeName);
  return symbol?.name === "Record" && walk.isStandard(symbol) ? node.typeArguments?.[1] : undefined;
}

function isStandard(walk: Normaliser, symbol: ts.Symbol): boolean {
  return walk.isStandard(symbol);
}
