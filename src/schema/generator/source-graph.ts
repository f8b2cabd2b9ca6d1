import { ts } from "./typescript.js";
import { scanSource } from "./source-scan.js";

/** Which sources of a program another one can see. */
export class SourceGraph {
  /** The sources that every other may depend on: libraries, declarations, and what declares things for the whole program. */
  readonly shared: readonly ts.SourceFile[];
  readonly #shared: ReadonlySet<ts.SourceFile>;
  readonly #imports = new Map<ts.SourceFile, readonly (ts.SourceFile | undefined)[]>();

  constructor(
    program: ts.Program,
    private readonly checker: ts.TypeChecker,
  ) {
    this.shared = sharedSources(program);
    this.#shared = new Set(this.shared);
  }

  /**
   * Everything that a source imports, however far away: the sources in the order in which they are met, each followed by what its
   * imports lead to. Two equal lists mean that what the source's types are is the same, as long as {@link shared} is.
   */
  behind(source: ts.SourceFile): readonly (ts.SourceFile | undefined)[] {
    const met: (ts.SourceFile | undefined)[] = [];
    const seen = new Set([source]);
    for (const next of seen) {
      met.push(next);
      for (const imported of this.importsOf(next)) {
        met.push(imported);
        if (imported !== undefined && !this.#shared.has(imported)) seen.add(imported);
      }
    }
    return met;
  }

  /** What the imports of a source lead to; nothing for those that lead nowhere. */
  importsOf(source: ts.SourceFile): readonly (ts.SourceFile | undefined)[] {
    const known = this.#imports.get(source);
    if (known !== undefined) return known;
    const imports = scanSource(source).specifiers.map((specifier) =>
      this.checker.getSymbolAtLocation(specifier)?.declarations?.find(ts.isSourceFile),
    );
    this.#imports.set(source, imports);
    return imports;
  }
}

/** The sources that every other may depend on without importing them. */
export function sharedSources(program: ts.Program): readonly ts.SourceFile[] {
  return program
    .getSourceFiles()
    .filter(
      (source) =>
        source.isDeclarationFile ||
        program.isSourceFileFromExternalLibrary(source) ||
        scanSource(source).isGlobal,
    );
}

/** Whether two lists of sources are of the same texts. */
export function isSame(
  before: readonly (ts.SourceFile | undefined)[],
  now: readonly (ts.SourceFile | undefined)[],
): boolean {
  return before.length === now.length && before.every((source, at) => source === now[at]);
}
