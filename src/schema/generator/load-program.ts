import { dirname, join, resolve } from "node:path";
import { ts } from "./typescript.js";
import type { ConfigReader, Project } from "./config-reader.js";
import type { MadeProgram } from "./incremental-program.js";
import { changedOptions, isLaterPair } from "./later-options.js";
import { locatePosition, relativePosix, type GeneratorProblem } from "./problem.js";
import { ProgramKeeper } from "./program-keeper.js";

/** The programs of a solution, with whatever is wrong in its settings. */
export interface LoadedProgram {
  /** The program, and before it those that it references: each project under its own options. */
  readonly projects: readonly MadeProgram[];
  /** The folder of tsconfig.json: what every path is relative to. */
  readonly root: string;
  readonly problems: readonly GeneratorProblem[];
  /** The folders that the projects look for sources in, absolute; true for those in which they look through all below. */
  readonly searched: Readonly<Record<string, boolean>>;
  /** The files that the settings were read from, and those that were looked for in vain. */
  readonly configs: readonly string[];
}

/**
 * Loads the program of a tsconfig.json and of every project that it references.
 *
 * @param tsconfig the file, or the folder that it lies in.
 * @param keeper makes the programs; one that made them before makes them from what has changed.
 */
export function loadProgram(tsconfig: string, keeper = new ProgramKeeper()): LoadedProgram {
  const file = configFile(resolve(tsconfig));
  const root = dirname(file);
  const reader = keeper.reader();
  const projects: MadeProgram[] = [];
  const problems = new Map<string, GeneratorProblem>();
  const searched: Record<string, boolean> = {};
  const add = (problem: GeneratorProblem): void => {
    problems.set(JSON.stringify(problem), problem);
  };
  for (const project of projectsFrom(reader, file)) {
    const made = keeper.programsOf(project).make({
      rootNames: project.fileNames,
      options: readOnly(project.options),
      projectReferences: project.references,
      readReference: (name) => reader.read(resolve(name)).parsed,
    });
    const wrong = [...project.diagnostics, ...made.program.getOptionsDiagnostics()].filter(
      (diagnostic) =>
        diagnostic.category === ts.DiagnosticCategory.Error &&
        !(project.later && isLaterPair(diagnostic, project.options)),
    );
    for (const diagnostic of wrong) add(configProblem(root, reader.placed(diagnostic, project)));
    if (wrong.length === 0 && project.fileNames.length > 0 && !strictNulls(project.options)) {
      add(laxProblem(root, project));
    }
    for (const [folder, flags] of Object.entries(project.parsed?.wildcardDirectories ?? {})) {
      searched[folder] ||= flags === ts.WatchDirectoryFlags.Recursive;
    }
    projects.push(made);
  }
  keeper.keep(reader);
  return { projects, root, problems: [...problems.values()], searched, configs: reader.files };
}

function configFile(path: string): string {
  return ts.sys.directoryExists(path) ? join(path, "tsconfig.json") : path;
}

/** A project and all that it references, those first that others stand on. A reference that leads nowhere is left to its program. */
function projectsFrom(reader: ConfigReader, file: string): readonly Project[] {
  const found = new Set<Project>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const project = reader.read(name);
    for (const { path } of project.references) {
      const referenced = ts.resolveProjectReferencePath({ path });
      if (ts.sys.fileExists(referenced)) visit(resolve(referenced));
    }
    found.add(project);
  };
  visit(file);
  return [...found];
}

/** The options of a project for a program that writes nothing; none of those left out changes a type. */
function readOnly(options: ts.CompilerOptions): ts.CompilerOptions {
  const declaration = options.composite ?? options.declaration ?? false;
  const quiet = changedOptions(options, {
    declaration,
    composite: false,
    incremental: false,
    noEmit: true,
    // An editor's option for its own speed: it would have types read from what was built before.
    disableSourceOfProjectReferenceRedirect: false,
  });
  delete quiet.tsBuildInfoFile;
  return quiet;
}

function configProblem(root: string, diagnostic: ts.Diagnostic): GeneratorProblem {
  const problem = diagnosticProblem(root, diagnostic);
  return UNKNOWN.has(diagnostic.code) ? { ...problem, hint: LATER_HINT } : problem;
}

/** An option, a value or a version to ignore deprecations of that the compiler does not know. */
const UNKNOWN: ReadonlySet<number> = new Set([5023, 5025, 6046, 5103]);
const LATER_HINT =
  `what TypeScript ${ts.version} knows, which salvor reads projects with; ` +
  "when a newer one needs it, a tsconfig.json without it for salvor alone: --tsconfig FILE";

function laxProblem(root: string, { file }: Project): GeneratorProblem {
  return {
    file: relativePosix(root, file),
    line: 1,
    column: 1,
    message: "without strictNullChecks any member may be null, which no schema would say",
    hint: '"strict": true in compilerOptions',
  };
}

/** A compiler's diagnostic as one of our problems. */
export function diagnosticProblem(root: string, diagnostic: ts.Diagnostic): GeneratorProblem {
  const message = `TS${diagnostic.code}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")}`;
  const { file, start, length } = diagnostic;
  if (file === undefined || start === undefined) return { message };
  return { ...locatePosition(root, file, start, start + (length ?? 1)), message };
}

function strictNulls({ strictNullChecks, strict }: ts.CompilerOptions): boolean {
  return strictNullChecks ?? strict ?? false;
}
