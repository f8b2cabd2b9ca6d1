import { ts } from "./typescript.js";

/** What there is in a source that is looked for in all of them. */
export interface SourceScan {
  /** Classes with decorators, in the order of lines. */
  readonly decorated: readonly ts.ClassLikeDeclaration[];
  /** What follows `from`, in `import("...")` and the like, in the order of lines. */
  readonly specifiers: readonly ts.StringLiteralLike[];
  /** Whether what it declares can be seen in files that do not import it. */
  readonly isGlobal: boolean;
}

const SCANS = new WeakMap<ts.SourceFile, SourceScan>();

/** Looks through a source, once. */
export function scanSource(source: ts.SourceFile): SourceScan {
  const known = SCANS.get(source);
  if (known !== undefined) return known;
  const decorated: ts.ClassLikeDeclaration[] = [];
  const specifiers: ts.StringLiteralLike[] = [];
  let isGlobal = !ts.isExternalModule(source);
  const look = (node: ts.Node): void => {
    if (ts.isClassLike(node) && (ts.getDecorators(node) ?? []).length > 0) decorated.push(node);
    if (ts.isModuleDeclaration(node) && isSeenEverywhere(node)) isGlobal = true;
    const specifier = specifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) specifiers.push(specifier);
    ts.forEachChild(node, look);
  };
  look(source);
  const scan: SourceScan = { decorated, specifiers, isGlobal };
  SCANS.set(source, scan);
  return scan;
}

function isSeenEverywhere(node: ts.ModuleDeclaration): boolean {
  return ts.isStringLiteral(node.name) || (node.flags & ts.NodeFlags.GlobalAugmentation) !== 0;
}

/** What a node imports from: `"./x.js"` in `import("./x.js").T`. */
export function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport ? node.arguments[0] : undefined;
}
