import { posix } from "node:path";
import ts from "typescript";
import { importsOf, lineOf, nodesOf, parse, type SourceText } from "./imports.js";
import { LAYERS, LOADERS, MAX_LINES, PURE } from "./layers.js";
import { impurities } from "./impurities.js";

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d)?\.(?:c?ts|tsx)$/;
const KEBAB_FOLDER = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Everything that is wrong with a file of src, as `path:line: what`. */
export function violationsOf(source: SourceText): readonly string[] {
  const file = parse(source);
  const found = [
    ...misplacedImports(source, file),
    ...wrongExports(source, file),
    ...loggedErrors(source, file),
  ];
  if (Object.hasOwn(PURE, folderOf(source.path))) {
    for (const { line, what } of impurities(file)) found.push(`${source.path}:${line}: ${what}`);
  }
  const lines = source.text.replace(/\n$/, "").split("\n").length;
  if (lines > MAX_LINES)
    found.push(`${source.path}:${lines}: ${lines} lines are more than one concept; ${MAX_LINES} at most`);
  if (!isKebabCase(source.path)) found.push(`${source.path}:1: file and folder names are kebab-case`);
  return found;
}

/** The folder of src that a file belongs to; files that lie in none stand for themselves. */
export function folderOf(path: string): string {
  const [first = "", ...rest] = path.split("/");
  return rest.length === 0 ? first.replace(/\.ts$/, "") : first;
}

function isKebabCase(path: string): boolean {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  return KEBAB_CASE.test(name) && folders.every((folder) => KEBAB_FOLDER.test(folder));
}

/** A logger writes all that an error holds, and that may be what was sent, answered or presented. */
function loggedErrors(source: SourceText, file: ts.SourceFile): string[] {
  return [...nodesOf(file)].flatMap((node) => {
    if (!ts.isPropertyAssignment(node) || node.name.getText(file) !== "err") return [];
    if (!ts.isIdentifier(node.initializer)) return [];
    const line = lineOf(file, node);
    return [
      `${source.path}:${line}: ${node.initializer.text} is logged as it is, and not as errorFacts of it`,
    ];
  });
}

function misplacedImports(source: SourceText, file: ts.SourceFile): string[] {
  const folder = folderOf(source.path);
  const allowed = Object.hasOwn(LAYERS, folder) ? LAYERS[folder] : undefined;
  if (allowed === undefined) return [`${source.path}:1: ${folder} has no place in the layers`];
  const found: string[] = [];
  for (const { specifier, line } of importsOf(file)) {
    const say = (what: string) => found.push(`${source.path}:${line}: ${what}`);
    if (specifier === undefined) {
      if (!LOADERS.includes(source.path)) say("a computed import cannot be checked");
    } else if (/^(?:#|salvor(?:\/|$))/.test(specifier))
      say(`${specifier}: inside src, files are imported by their relative path`);
    else if (specifier.startsWith(".")) {
      const target = posix.normalize(posix.join(posix.dirname(source.path), specifier));
      const to = folderOf(target.replace(/\.js$/, ".ts"));
      if (target.startsWith("..")) {
        // The package's own manifest is no code of ours.
        if (target !== "../package.json") say(`${specifier} lies outside src`);
      } else if (to !== folder && !allowed.includes(to)) say(`${folder} may not import ${to} (${specifier})`);
    } else if (Object.hasOwn(PURE, folder) && PURE[folder]?.includes(specifier) !== true) {
      say(`${folder} is pure and may not import ${specifier}`);
    }
  }
  return found;
}

function wrongExports(source: SourceText, file: ts.SourceFile): string[] {
  const found: string[] = [];
  const say = (node: ts.Node, what: string) => found.push(`${source.path}:${lineOf(file, node)}: ${what}`);
  for (const node of nodesOf(file)) {
    if (node.kind === ts.SyntaxKind.DefaultKeyword && isModifier(node)) say(node, "no default exports");
    // CommonJS has no other way to say what it exports under verbatimModuleSyntax.
    const commonJs = ts.isExportAssignment(node) && node.isExportEquals && source.path.endsWith(".cts");
    if (ts.isExportAssignment(node) && !commonJs) say(node, "no default exports");
    if (ts.isExportSpecifier(node) && node.name.text === "default") say(node, "no default exports");
    if (ts.isExportDeclaration(node) && !(node.exportClause && ts.isNamedExports(node.exportClause)))
      say(node, "exports are named one by one");
  }
  if (source.path === "index.ts") {
    for (const statement of file.statements) {
      if (!ts.isExportDeclaration(statement)) say(statement, "src/index.ts holds named exports only");
    }
  }
  return found;
}

function isModifier(node: ts.Node): boolean {
  return (
    ts.isFunctionDeclaration(node.parent) ||
    ts.isClassDeclaration(node.parent) ||
    ts.isInterfaceDeclaration(node.parent)
  );
}
