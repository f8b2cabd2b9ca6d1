import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DeclarationProblem } from "./problem.js";

/**
 * The declaration files that paths stand for, in their order: a folder stands for its `*.toml`, sorted. A file that is named
 * twice is taken once. A path that does not exist is kept, for whoever reads it to say so.
 */
export function declarationFiles(
  paths: readonly string[],
  problems: DeclarationProblem[],
): readonly string[] {
  const files = new Map<string, string>();
  for (const file of paths.flatMap((path) => expand(path, problems))) {
    const identity = realpath(file);
    if (!files.has(identity)) files.set(identity, file);
  }
  return [...files.values()];
}

function expand(path: string, problems: DeclarationProblem[]): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const refuse = (what: string, advice: string): readonly string[] => {
    problems.push({ file: path, key: "", what, advice });
    return [];
  };
  try {
    const names = readdirSync(path).filter((name) => name.endsWith(".toml"));
    if (names.length > 0) return names.sort().map((name) => join(path, name));
    return refuse("holds no *.toml file", "name the folder that holds the declarations");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return refuse(`cannot be listed (${code})`, "check the path and its permissions");
  }
}

function realpath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
