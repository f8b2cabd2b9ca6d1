import { dirname, resolve } from "node:path";
import { ts } from "./typescript.js";
import { isAuthorsSource } from "./author-source.js";
import type { MadeProgram } from "./incremental-program.js";
import { diagnosticProblem, type LoadedProgram } from "./load-program.js";
import type { GeneratorProblem } from "./problem.js";

/**
 * The type errors of a source that tools' types come from, other than those of its syntax: a type that does not check is not what it
 * says. Errors elsewhere in the program are left to the compiler.
 *
 * @param out the artefact, which a program may import before it is there.
 */
export function typeErrors(
  { projects, root }: LoadedProgram,
  file: string,
  out: string | undefined,
): readonly GeneratorProblem[] {
  // Only the project whose own a source is checks it: to those that reference it, it stands for declarations.
  const [own] = projects.flatMap(({ program, diagnosticsOf }) => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : [{ source, diagnosticsOf }];
  });
  if (own === undefined) return [];
  return own
    .diagnosticsOf(own.source)
    .filter(
      (diagnostic) =>
        diagnostic.category === ts.DiagnosticCategory.Error &&
        diagnostic.reportsUnnecessary === undefined &&
        !isMissing(out, diagnostic),
    )
    .map((diagnostic) => diagnosticProblem(root, diagnostic));
}

/** What does not even parse, in any of a project's own sources: there may be a tool in there. */
export function syntaxErrors({ program }: MadeProgram, root: string): readonly GeneratorProblem[] {
  return program
    .getSourceFiles()
    .filter((source) => !source.isDeclarationFile && isAuthorsSource(program, source))
    .flatMap((source) => program.getSyntacticDiagnostics(source))
    .map((diagnostic) => diagnosticProblem(root, diagnostic));
}

/** Whether all that is wrong is that the artefact, which the program imports, has not been written yet. */
function isMissing(out: string | undefined, { code, file, start, length }: ts.Diagnostic): boolean {
  if (out === undefined || code !== CANNOT_FIND_MODULE) return false;
  if (file === undefined || start === undefined || length === undefined) return false;
  const specifier = file.text.slice(start + 1, start + length - 1);
  return specifier.startsWith(".") && resolve(dirname(file.fileName), specifier) === out;
}

const CANNOT_FIND_MODULE = 2307;
