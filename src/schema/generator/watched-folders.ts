import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type ts from "typescript";
import type { LoadedProgram } from "./load-program.js";
import { scanSource } from "./source-scan.js";

/**
 * The folders in which a change may change the programs: those of their sources and settings, those that a tsconfig.json looks for
 * sources in, and the nearest to where an import leads nowhere. Absolute; none is to be looked through below.
 */
export function watchedFolders({ projects, root, searched, configs }: LoadedProgram): ReadonlySet<string> {
  const folders = new Set([root, ...configs.map((file) => nearest(dirname(file)))]);
  const outputs = projects.flatMap(({ program }) => outputsOf(program));
  for (const [folder, below] of Object.entries(searched)) {
    if (below) addBelow(resolve(folder), folders, new Set(outputs));
    else folders.add(resolve(folder));
  }
  for (const { program } of projects) {
    for (const source of program.getSourceFiles()) {
      if (program.isSourceFileDefaultLibrary(source)) continue;
      folders.add(dirname(source.fileName));
      for (const missing of nowhere(program, source)) folders.add(nearest(missing));
    }
  }
  folders.add(join(root, "node_modules"));
  return new Set([...folders].filter(isFolder));
}

function outputsOf(program: ts.Program): readonly string[] {
  const { outDir, declarationDir } = program.getCompilerOptions();
  return [outDir, declarationDir].flatMap((folder) => (folder === undefined ? [] : [resolve(folder)]));
}

function addBelow(
  folder: string,
  folders: Set<string>,
  skipped: ReadonlySet<string>,
  above: readonly string[] = [],
): void {
  if (skipped.has(folder) || !isFolder(folder)) return;
  const real = realpathSync(folder);
  if (above.includes(real)) return;
  folders.add(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() || entry.name === "node_modules" || entry.name.startsWith(".")) continue;
    addBelow(join(folder, entry.name), folders, skipped, [...above, real]);
  }
}

/** Where the relative imports of a source lead that lead to no file. */
function nowhere(program: ts.Program, source: ts.SourceFile): readonly string[] {
  if (source.isDeclarationFile) return [];
  const checker = program.getTypeChecker();
  return scanSource(source)
    .specifiers.filter(({ text }) => text.startsWith("."))
    .filter((specifier) => checker.getSymbolAtLocation(specifier) === undefined)
    .map(({ text }) => dirname(resolve(dirname(source.fileName), text)));
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
