import { dirname, resolve } from "node:path";
import ts from "typescript";
import { IncrementalProgram, type MadeProgram } from "./incremental-program.js";
import { locatePosition, relativePosix, type GeneratorProblem } from "./problem.js";

export interface LoadedProgram extends MadeProgram {
  /** The folder of tsconfig.json: what every path is relative to. */
  readonly root: string;
  readonly problems: readonly GeneratorProblem[];
  /** The folders that tsconfig.json looks for sources in, absolute; true for those in which it looks through all below. */
  readonly searched: Readonly<Record<string, boolean>>;
  /** The files that the settings were read from. */
  readonly configs: readonly string[];
}

/**
 * Loads the program of a tsconfig.json, with whatever is wrong in that file.
 *
 * @param programs makes the program; with one that made it before, from what has changed.
 */
export function loadProgram(tsconfig: string, programs = new IncrementalProgram()): LoadedProgram {
  const file = resolve(tsconfig);
  const root = dirname(file);
  const diagnostics: ts.Diagnostic[] = [];
  const configs = new Set([file]);
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    readFile: (path: string) => {
      configs.add(path);
      return ts.sys.readFile(path);
    },
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(file, {}, host);
  diagnostics.push(...(parsed?.errors ?? []));
  const options: ts.CompilerOptions = { ...(parsed?.options ?? {}), noEmit: true };
  for (const output of [
    "declaration",
    "declarationMap",
    "emitDeclarationOnly",
    "composite",
    "incremental",
  ] as const) {
    options[output] = false;
  }
  delete options.tsBuildInfoFile;
  // What is made under settings that are half written is of no use to any other time.
  const made = (diagnostics.some(isError) ? new IncrementalProgram() : programs).make({
    rootNames: parsed?.fileNames ?? [],
    options,
    ...(parsed?.projectReferences !== undefined && { projectReferences: parsed.projectReferences }),
  });
  diagnostics.push(...made.program.getOptionsDiagnostics());
  const problems = diagnostics.filter(isError).map((diagnostic) => diagnosticProblem(root, diagnostic));
  if (parsed !== undefined && problems.length === 0 && !strictNulls(parsed.options)) {
    problems.push({
      file: relativePosix(root, file),
      line: 1,
      column: 1,
      message: "without strictNullChecks any member may be null, which no schema would say",
      hint: '"strict": true in compilerOptions',
    });
  }
  const searched = Object.fromEntries(
    Object.entries(parsed?.wildcardDirectories ?? {}).map(([folder, flags]) => [
      folder,
      flags === ts.WatchDirectoryFlags.Recursive,
    ]),
  );
  return { ...made, root, problems, searched, configs: [...configs] };
}

/** A compiler's diagnostic as one of our problems. */
export function diagnosticProblem(root: string, diagnostic: ts.Diagnostic): GeneratorProblem {
  const message = `TS${diagnostic.code}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")}`;
  const { file, start, length } = diagnostic;
  if (file === undefined || start === undefined) return { message };
  return { ...locatePosition(root, file, start, start + (length ?? 1)), message };
}

function isError({ category }: ts.Diagnostic): boolean {
  return category === ts.DiagnosticCategory.Error;
}

function strictNulls({ strictNullChecks, strict }: ts.CompilerOptions): boolean {
  return strictNullChecks ?? strict ?? false;
}
