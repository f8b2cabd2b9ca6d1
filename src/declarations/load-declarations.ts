import { ownValue, type JsonObject } from "../contract/json.js";
import { ClientToolRegistry, type DeclarationInput } from "./client-tool-registry.js";
import { checkDeclaration } from "./check-declaration.js";
import { declarationFiles } from "./declaration-files.js";
import type { ClientToolDeclaration } from "./declared-tool.js";
import { nameIsTaken, problemsOf, type Finding } from "./finding.js";
import { DeclarationError, type DeclarationProblem } from "./problem.js";
import { readDeclaration } from "./read-declaration.js";
import { FileRefused, readText } from "./read-text.js";

export interface LoadedDeclarations {
  readonly registry: ClientToolRegistry;
  /** The files that were read, in their order. */
  readonly files: readonly string[];
}

/**
 * Reads one declaration from its text.
 *
 * @param file what the text is called in messages, and where a schema path is looked for beside.
 * @throws {@link DeclarationError} with every problem.
 */
export function parseDeclaration(text: string, file: string): ClientToolDeclaration {
  return new Loading().declare(text, file);
}

/**
 * Loads declarations from files, and from folders: the `*.toml` in them.
 *
 * @throws {@link DeclarationError} with every problem of every file; then nothing is loaded.
 */
export function loadDeclarations(paths: readonly string[]): LoadedDeclarations {
  const { registry, files, problems } = readAll(paths);
  if (problems.length > 0) throw new DeclarationError(problems);
  return { registry, files };
}

/** Reads all that can be read, and says what is wrong with the rest. */
export function readAll(
  paths: readonly string[],
): LoadedDeclarations & { readonly problems: readonly DeclarationProblem[] } {
  const loading = new Loading();
  const problems: DeclarationProblem[] = [];
  const files = declarationFiles(paths, problems);
  for (const file of files) {
    try {
      loading.declare(readText(file), file);
    } catch (error) {
      if (error instanceof DeclarationError) problems.push(...error.problems);
      else if (error instanceof FileRefused)
        problems.push({ file, key: "", what: error.problem, advice: error.advice });
      else throw error;
    }
  }
  return { registry: loading.registry, files, problems };
}

class Loading {
  readonly registry = new ClientToolRegistry();
  /** The files by the name that they declare, whatever else may be wrong with them. */
  readonly #names = new Map<string, string>();

  declare(text: string, file: string): ClientToolDeclaration {
    const { raw, origin, findings: known } = readDeclaration(text, file);
    const findings = [...known];
    if (raw !== undefined) this.#claimName(raw, file, findings);
    if (raw === undefined || findings.length > 0) {
      // What else is wrong belongs in the same report, so that one look at the file is enough.
      if (raw !== undefined) checkDeclaration(raw, findings);
      throw new DeclarationError(problemsOf(findings, origin));
    }
    // Data that is no declaration is what the checks of `declare` are for.
    return this.registry.declare(raw as unknown as DeclarationInput, origin).declaration;
  }

  #claimName(raw: JsonObject, file: string, findings: Finding[]): void {
    const name = ownValue(raw, "name");
    if (typeof name !== "string") return;
    const first = this.#names.get(name);
    if (first === undefined) this.#names.set(name, file);
    else findings.push(nameIsTaken(name, ` in ${first}`));
  }
}
