import { ts } from "./typescript.js";
import { detachedAtEnd, detachedBefore, detachedInside } from "./detached-comments.js";
import type { Doc } from "./doc.js";
import { recordValue } from "./follow-node.js";
import { reportDetached } from "./member-shapes.js";
import type { Normaliser, TypePlace } from "./normaliser.js";
import type { ObjectShape } from "./shape.js";
import { NUMBER_KEY, templatePattern } from "./template-pattern.js";

/** What further members an object may have. */
export function indexOf(walk: Normaliser, type: ts.Type, place: TypePlace): ObjectShape["index"] | "refused" {
  const infos = distinct(walk.checker.getIndexInfosOfType(type));
  const [info] = infos;
  if (info === undefined) return undefined;
  if (infos.length > 1) {
    walk.refuse(place, "more than one index signature cannot be said in a schema", "one index signature");
    return "refused";
  }
  const keyPattern = keyPatternOf(walk, info.keyType, place);
  if (keyPattern === "refused") return "refused";
  if (info.type.flags & ts.TypeFlags.Never) return undefined;
  const where =
    info.declaration !== undefined && walk.isAuthors(info.declaration) ? info.declaration : place.where;
  const value = walk.visit(info.type, {
    path: `${place.path}[string]`,
    where,
    node: valueNode(walk, info, place),
    // A member that is not named may be left out anyway.
    optional: true,
  });
  return {
    value: walk.documented(
      value,
      { docs: docsOf(walk, info, place) },
      { path: `${place.path}[string]`, where },
    ),
    ...(keyPattern !== undefined && { keyPattern }),
  };
}

/** Index signatures without those for numbers that say what the one for strings says already: every name is a string. */
function distinct(infos: readonly ts.IndexInfo[]): readonly ts.IndexInfo[] {
  const strings = infos.find(({ keyType }) => keyType.flags & ts.TypeFlags.String);
  return infos.filter(
    ({ keyType, type }) => !(keyType.flags & ts.TypeFlags.Number && type === strings?.type),
  );
}

/** What the doc comment of an index signature says about its values. */
function docsOf(
  walk: Normaliser,
  { declaration }: ts.IndexInfo,
  place: TypePlace,
): readonly { readonly doc: Doc }[] {
  if (declaration === undefined || !ts.isIndexSignatureDeclaration(declaration)) return [];
  const here = {
    path: `${place.path}[string]`,
    where: walk.isAuthors(declaration) ? declaration : place.where,
  };
  if (walk.isAuthors(declaration)) {
    reportDetached(walk, declaration, detachedBefore(declaration), here);
    reportDetached(walk, declaration, detachedInside(declaration.parameters.end, declaration.type), here);
    const { parent } = declaration;
    if (
      (ts.isTypeLiteralNode(parent) || ts.isInterfaceDeclaration(parent)) &&
      parent.members.at(-1) === declaration
    ) {
      reportDetached(walk, declaration, detachedAtEnd(parent.members, declaration.getSourceFile()), here);
    }
  }
  return [{ doc: walk.docOf(declaration, here) }];
}

function keyPatternOf(walk: Normaliser, key: ts.Type, place: TypePlace): string | undefined {
  if (key.flags & ts.TypeFlags.String) return undefined;
  if (key.flags & ts.TypeFlags.Number) return NUMBER_KEY;
  const pattern =
    key.flags & ts.TypeFlags.TemplateLiteral ? templatePattern(key as ts.TemplateLiteralType) : undefined;
  if (pattern !== undefined) return pattern;
  walk.refuse(
    place,
    `an index signature with keys of ${walk.checker.typeToString(key)} cannot be said in a schema`,
    "string keys",
  );
  return "refused";
}

/** The node that an index signature's values were written with, also as the second argument of `Record`. */
function valueNode(walk: Normaliser, info: ts.IndexInfo, { node }: TypePlace): ts.TypeNode | undefined {
  const written = info.declaration?.type;
  if (written !== undefined && walk.checker.getTypeFromTypeNode(written) === info.type) return written;
  const value = recordValue(walk, node);
  return value !== undefined && walk.checker.getTypeFromTypeNode(value) === info.type ? value : undefined;
}
