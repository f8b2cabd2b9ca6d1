import ts from "typescript";
import { lineOf, nodesOf } from "./imports.js";

/** Globals that read a clock, wait, draw random numbers or reach the world outside. */
const IMPURE = new Set([
  "Bun",
  "Deno",
  "EventSource",
  "Function",
  "SharedArrayBuffer",
  "WebSocket",
  "Worker",
  "XMLHttpRequest",
  "clearInterval",
  "clearTimeout",
  "console",
  "crypto",
  "eval",
  "fetch",
  "global",
  "globalThis",
  "navigator",
  "performance",
  "process",
  "queueMicrotask",
  "require",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

/** What a member of an otherwise harmless global does. */
const IMPURE_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  AbortSignal: ["timeout"],
  Atomics: ["wait", "waitAsync"],
  Math: ["random"],
};

/** Members of Date that only compute. */
const PURE_DATE_MEMBERS = ["UTC", "parse"];

/** Everything in a file that would make the same input give another answer, or touch the world. */
export function impurities(file: ts.SourceFile): readonly { line: number; what: string }[] {
  const found: { line: number; what: string }[] = [];
  for (const node of nodesOf(file)) {
    if (!ts.isIdentifier(node) || !isValue(node)) continue;
    const what = impurity(node);
    if (what !== undefined) found.push({ line: lineOf(file, node), what: `pure code may not use ${what}` });
  }
  return found;
}

function impurity(node: ts.Identifier): string | undefined {
  const { text: name, parent } = node;
  if (IMPURE.has(name)) return name;
  const member = ts.isPropertyAccessExpression(parent) ? parent.name.text : undefined;
  if (name === "Date") {
    if (member !== undefined && PURE_DATE_MEMBERS.includes(member)) return undefined;
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword)
      return undefined;
    if (ts.isNewExpression(parent) && (parent.arguments?.length ?? 0) > 0) return undefined;
    return member === undefined ? "Date without an argument" : `Date.${member}`;
  }
  const impure = Object.hasOwn(IMPURE_MEMBERS, name) ? IMPURE_MEMBERS[name] : undefined;
  if (impure === undefined) return undefined;
  // Taken apart or passed on, the global's members can no longer be told.
  if (member === undefined) return `${name} as a whole`;
  return impure.includes(member) ? `${name}.${member}` : undefined;
}

/** Whether an identifier stands for a value, not for a type and not for the name of a member or of a declaration. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent)) return false;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  if (ts.isTypeParameterDeclaration(parent) || ts.isJSDocNameReference(parent)) return false;
  return !(hasName(parent) && parent.name === node);
}

function hasName(node: ts.Node): node is ts.Node & { readonly name: ts.Node } {
  // `{ fetch }` names a member and uses the value.
  return "name" in node && !ts.isShorthandPropertyAssignment(node);
}
