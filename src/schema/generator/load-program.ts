import { dirname, resolve } from "node:path";
import ts from "typescript";
import { ConfigReader, type Project } from "./config-reader.js";
import { changedOptions, isLaterPair } from "./later-options.js";
import { locatePosition, relativePosix, type GeneratorProblem } from "./problem.js";

export interface LoadedProgram {
  /** The program, and before it those that it references: each project under its own options. */
  readonly programs: readonly ts.Program[];
  /** The folder of tsconfig.json: what every path is relative to. */
  readonly root: string;
  readonly problems: readonly GeneratorProblem[];
}

/** Loads the program of a tsconfig.json and of every project that it references, with whatever is wrong in these files. */
export function loadProgram(tsconfig: string): LoadedProgram {
  const file = resolve(tsconfig);
  const root = dirname(file);
  const reader = new ConfigReader();
  const documents = ts.createDocumentRegistry(ts.sys.useCaseSensitiveFileNames);
  const programs: ts.Program[] = [];
  const problems = new Map<string, GeneratorProblem>();
  const add = (problem: GeneratorProblem): void => {
    problems.set(JSON.stringify(problem), problem);
  };
  for (const project of projectsFrom(reader, file)) {
    const program = programOf(reader, documents, project);
    const wrong = [...project.diagnostics, ...program.getOptionsDiagnostics()].filter(
      (diagnostic) =>
        diagnostic.category === ts.DiagnosticCategory.Error &&
        !(project.later && isLaterPair(diagnostic, project.options)),
    );
    for (const diagnostic of wrong) add(configProblem(root, reader.placed(diagnostic, project)));
    if (wrong.length === 0 && project.fileNames.length > 0 && !strictNulls(project.options)) {
      add(laxProblem(root, project));
    }
    programs.push(program);
  }
  return { programs, root, problems: [...problems.values()] };
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

/**
 * The program of a project. What it imports from a project that it references is read from that project's sources: what was
 * built of them may be older than they are, or not there.
 */
function programOf(reader: ConfigReader, documents: ts.DocumentRegistry, project: Project): ts.Program {
  const options = readOnly(project.options);
  const host: ts.CompilerHost & Pick<ts.WatchCompilerHost<never>, "useSourceOfProjectReferenceRedirect"> = {
    ...ts.createCompilerHost(options),
    useSourceOfProjectReferenceRedirect: () => true,
    getParsedCommandLine: (name) => reader.read(resolve(name)).parsed,
    getSourceFile: (name, languageVersion) => {
      const text = ts.sys.readFile(name);
      if (text === undefined) return undefined;
      const snapshot = ts.ScriptSnapshot.fromString(text);
      return documents.acquireDocument(name, options, snapshot, "", undefined, languageVersion);
    },
  };
  return ts.createProgram({
    rootNames: project.fileNames,
    options,
    projectReferences: project.references,
    host,
  });
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
