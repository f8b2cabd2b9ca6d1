import { ts } from "./typescript.js";
import { sha256Hex } from "../../log/canonical-json.js";

interface Parsed {
  readonly text: string;
  readonly source: ts.SourceFile;
}

/**
 * Sources as they were parsed, for all programs of a solution and for the next programs of each: as long as the text of a file is
 * the same, it is the same object, wherever it would be parsed and bound in the same way.
 */
export class SourceCache {
  readonly #documents = ts.createDocumentRegistry(ts.sys.useCaseSensitiveFileNames);
  readonly #parsed = new Map<string, Parsed>();

  /** Answers how to read sources under some options; nothing for a file that is not there. */
  under(
    options: ts.CompilerOptions,
    readFile: (file: string) => string | undefined,
  ): ts.CompilerHost["getSourceFile"] {
    const settings = `${this.#documents.getKeyForCompilationSettings(options)} ${bindingText(options)}`;
    return (file, how) => {
      const text = readFile(file);
      if (text === undefined) return undefined;
      const key = `${file} ${howText(how)} ${settings}`;
      const known = this.#parsed.get(key);
      if (known?.text === text) return known.source;
      const source = ts.createSourceFile(file, text, how);
      // What a builder tells the versions of a file apart by.
      (source as { version?: string }).version = sha256Hex(text);
      this.#parsed.set(key, { text, source });
      return source;
    };
  }

  /** Forgets all sources but those of these programs. */
  keepOnly(programs: readonly ts.Program[]): void {
    const sources = new Set(programs.flatMap((program) => program.getSourceFiles()));
    for (const [key, { source }] of this.#parsed) if (!sources.has(source)) this.#parsed.delete(key);
  }
}

/** The options that decide what is reported while a source is bound; those that decide how it is parsed are not among them. */
function bindingText(options: ts.CompilerOptions): string {
  const { allowUnreachableCode, allowUnusedLabels, noFallthroughCasesInSwitch, preserveConstEnums } = options;
  const { isolatedModules, verbatimModuleSyntax } = options;
  return JSON.stringify({
    ...{ allowUnreachableCode, allowUnusedLabels, noFallthroughCasesInSwitch, preserveConstEnums },
    ...{ isolatedModules, verbatimModuleSyntax },
  });
}

function howText(how: ts.ScriptTarget | ts.CreateSourceFileOptions): string {
  if (typeof how !== "object") return String(how);
  return JSON.stringify([how.languageVersion, how.impliedNodeFormat, how.jsDocParsingMode]);
}
