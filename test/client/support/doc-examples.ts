import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../../docs/pages.js";

/** A public method, or a class, and the example in its doc comment. */
export interface DocExample {
  /** As `ClientRun.perform`; a class alone for its own. */
  readonly of: string;
  /** `undefined` where there is none. */
  readonly code: string | undefined;
}

/** What the doc comments of a file's exported classes show: one entry a public method, and one for a class that shows something. */
export function docExamples(path: string): readonly DocExample[] {
  const text = readFileSync(join(root, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  return source.statements.filter(ts.isClassDeclaration).flatMap((each) => [
    ...[{ of: nameOf(each), code: exampleOf(each) }].filter(({ code }) => code !== undefined),
    ...each.members
      .filter(ts.isMethodDeclaration)
      .filter(isPublic)
      .map((method) => ({ of: `${nameOf(each)}.${nameOf(method)}`, code: exampleOf(method) })),
  ]);
}

/** What an example says that it prints, a line each: behind `console.log`, or on lines of their own below it. */
export function promisedLines(code: string): readonly string[] {
  let isBelow = false;
  return code.split("\n").flatMap((line) => {
    const said = /^\s*\/\/ (.*)$/.exec(line)?.[1];
    if (said !== undefined) return isBelow ? [said] : [];
    isBelow = line.includes("console.log(");
    const beside = isBelow ? /; \/\/ (.*)$/.exec(line)?.[1] : undefined;
    return beside === undefined ? [] : [beside];
  });
}

function isPublic(method: ts.MethodDeclaration): boolean {
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];
  return !ts.isPrivateIdentifier(method.name) && !method.modifiers?.some(({ kind }) => hidden.includes(kind));
}

function nameOf({ name }: ts.ClassDeclaration | ts.MethodDeclaration): string {
  return name?.getText() ?? "";
}

function exampleOf(node: ts.Node): string | undefined {
  const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === "example");
  if (tag === undefined) return undefined;
  // Not the tag's comment as it is parsed, which has lost its indentation.
  return tag
    .getText()
    .replace(/^@example/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}
