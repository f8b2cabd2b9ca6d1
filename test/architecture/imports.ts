import ts from "typescript";

/** A TypeScript file of src: its path below src, with `/`, and its text. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** What a file imports, in any way that there is; `specifier` is absent when it is computed. */
export interface Import {
  readonly specifier?: string;
  readonly line: number;
}

export function parse(source: SourceText): ts.SourceFile {
  return ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ESNext, true);
}

export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

/** Every node of a file, parents first. */
export function* nodesOf(node: ts.Node): Iterable<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

/** Static, dynamic and type-only imports, re-exports, `import("x").Y` types, `require`, and files named by `new URL(x, import.meta.url)`. */
export function importsOf(file: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  for (const node of nodesOf(file)) {
    const specifier = specifierOf(node);
    if (specifier === undefined) continue;
    const line = lineOf(file, node);
    found.push(ts.isStringLiteralLike(specifier) ? { specifier: specifier.text, line } : { line });
  }
  return found;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  if (ts.isCallExpression(node)) {
    const { expression: callee } = node;
    const loads =
      callee.kind === ts.SyntaxKind.ImportKeyword ||
      (ts.isIdentifier(callee) && callee.text === "require") ||
      (ts.isPropertyAccessExpression(callee) && callee.getText() === "import.meta.resolve");
    return loads ? node.arguments[0] : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === "URL") {
    const [path, base] = node.arguments ?? [];
    return base?.getText() === "import.meta.url" ? path : undefined;
  }
  return undefined;
}
