import { ts } from "./typescript.js";
import { isAuthorsSource } from "./author-source.js";
import type { Framework } from "./framework.js";
import { scanSource } from "./source-scan.js";

/** A class with our `@Tool` on it. */
export interface FoundTool {
  readonly node: ts.ClassLikeDeclaration;
  readonly className: string;
  /** The decorator's call, `Tool("write")`; absent when it is not called in place, which cannot be read. */
  readonly call?: ts.CallExpression;
  readonly decorator: ts.Decorator;
}

/** Told about a class whose decorator means nothing to the compiler, so that it may or may not be a tool. */
export type ReportUnresolved = (decorator: ts.Decorator, className: string) => void;

/**
 * Every class of a program's own sources with our `@Tool` on it, in the order of files and of lines.
 *
 * @param seen the files that were looked through for another program: they are left out, and those of this one added.
 */
export function discoverTools(
  program: ts.Program,
  checker: ts.TypeChecker,
  framework: Framework,
  seen: Set<string>,
  reportUnresolved: ReportUnresolved,
): readonly FoundTool[] {
  const found: FoundTool[] = [];
  const sources = program
    .getSourceFiles()
    .filter((source) => !source.isDeclarationFile && isAuthorsSource(program, source))
    .filter(({ fileName }) => !seen.has(fileName));
  for (const { fileName } of sources) seen.add(fileName);
  const inOrder = [...sources].sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  for (const node of inOrder.flatMap((source) => scanSource(source).decorated)) {
    for (const decorator of ts.getDecorators(node) ?? []) {
      const tool = toolOf(node, decorator, checker, framework);
      if (tool !== undefined) found.push(tool);
      else if (isUnresolved(decorator, checker)) reportUnresolved(decorator, classNameOf(node));
    }
  }
  return found;
}

function toolOf(
  node: ts.ClassLikeDeclaration,
  decorator: ts.Decorator,
  checker: ts.TypeChecker,
  framework: Framework,
): FoundTool | undefined {
  const expression = bare(decorator.expression);
  const className = classNameOf(node);
  if (ts.isCallExpression(expression)) {
    if (framework.names(calleeName(expression.expression), "Tool"))
      return { node, className, call: expression, decorator };
  } else if (framework.names(calleeName(expression), "Tool")) {
    return { node, className, decorator };
  }
  // A decorator that was made elsewhere, `const write = Tool("write")`, shows by its type.
  const [signature] = checker.getTypeAtLocation(expression).getCallSignatures();
  const made = signature?.declaration;
  return made !== undefined && framework.isOurs(made) ? { node, className, decorator } : undefined;
}

function bare(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)
    ? bare(node.expression)
    : node;
}

function isUnresolved(decorator: ts.Decorator, checker: ts.TypeChecker): boolean {
  const expression = bare(decorator.expression);
  const callee = ts.isCallExpression(expression) ? expression.expression : expression;
  return (checker.getTypeAtLocation(callee) as { readonly intrinsicName?: string }).intrinsicName === "error";
}

function calleeName(node: ts.Expression): ts.Expression {
  const plain = bare(node);
  if (ts.isPropertyAccessExpression(plain)) return plain.name;
  if (ts.isExpressionWithTypeArguments(plain)) return calleeName(plain.expression);
  return plain;
}

function classNameOf(node: ts.ClassLikeDeclaration): string {
  if (node.name !== undefined) return node.name.text;
  const { parent } = node;
  return ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)
    ? parent.name.text
    : "(anonymous class)";
}
