import { LRUCache } from "lru-cache";
import ts from "typescript";
import { sha256Hex } from "../../log/canonical-json.js";
import { isSame, sharedSources } from "./source-graph.js";

/** What a program is made from. */
export type ProgramSettings = Pick<
  ts.CreateProgramOptions,
  "rootNames" | "options" | "projectReferences" | "configFileParsingDiagnostics"
>;

/** A program, and its semantic diagnostics: those of a file that nothing changed for are not worked out again. */
export interface MadeProgram {
  readonly program: ts.Program;
  readonly diagnosticsOf: (source: ts.SourceFile) => readonly ts.Diagnostic[];
}

interface Parsed {
  readonly text: string;
  readonly how: string;
  readonly source: ts.SourceFile;
}

/** What is kept from one program to the next of the same options. */
interface Kept {
  readonly sources: Map<string, Parsed>;
  readonly probes: Map<string, Probe>;
  builder?: ts.SemanticDiagnosticsBuilderProgram;
  shared?: readonly ts.SourceFile[];
}

/**
 * Makes a program again and again as its files change. Sources whose text is the same are the same objects in the next program;
 * what the last one found out is used as far as it still holds. A new one answers what a program made from nothing would.
 */
export class IncrementalProgram {
  // Sources are parsed and bound under the options, so they are of no use under others. Two: what holds under the options of
  // before is still there when a mistake in them is taken back.
  readonly #kept = new LRUCache<string, Kept>({ max: 2 });

  /** The program of these settings as the files are now. */
  make(settings: ProgramSettings): MadeProgram {
    const text = settingsText(settings.options);
    const kept: Kept = this.#kept.get(text) ?? { sources: new Map(), probes: new Map() };
    this.#kept.set(text, kept);
    const host = rememberingHost(settings.options, kept);
    const before = kept.builder?.getProgram();
    const reusable = before !== undefined && [...kept.probes.values()].every(holds);
    if (!reusable) kept.probes.clear();
    const program = ts.createProgram({ ...settings, host, ...(reusable && { oldProgram: before }) });
    const shared = sharedSources(program);
    // The builder follows imports; where a change of what is seen everywhere may reach, it does not always find out.
    const known = isSame(kept.shared ?? [], shared) ? kept.builder : undefined;
    const builder = ts.createSemanticDiagnosticsBuilderProgram(program, host, known);
    kept.builder = builder;
    kept.shared = shared;
    const sources = new Set(program.getSourceFiles());
    for (const [file, { source }] of kept.sources) if (!sources.has(source)) kept.sources.delete(file);
    let settled = false;
    const settle = (): void => {
      // Finds out which files a change reaches, without looking at them.
      while (builder.getSemanticDiagnosticsOfNextAffectedFile(undefined, () => true) !== undefined);
      settled = true;
    };
    return {
      program,
      diagnosticsOf: (source) => {
        if (!settled) settle();
        return builder.getSemanticDiagnostics(source);
      },
    };
  }
}

/** A compiler's host that keeps what it read and was told. */
function rememberingHost(options: ts.CompilerOptions, { sources, probes }: Kept): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const probing = (kind: (typeof PROBES)[number]) => {
    const ask = host[kind]?.bind(host) as ((path: string) => unknown) | undefined;
    if (ask === undefined) return {};
    const probe = (path: string): unknown => {
      const answer = ask(path);
      probes.set(`${kind} ${path}`, { ask, path, answer: textOf(answer) });
      return answer;
    };
    return { [kind]: probe };
  };
  const readFile = host.readFile.bind(host);
  return {
    ...host,
    ...(Object.assign({}, ...PROBES.map(probing)) as Partial<ts.CompilerHost>),
    createHash: sha256Hex,
    getSourceFile: (file, how) => {
      const text = readFile(file);
      if (text === undefined) return undefined;
      const known = sources.get(file);
      if (known?.text === text && known.how === howText(how)) return known.source;
      const source = ts.createSourceFile(file, text, how);
      // What the builder tells the versions of a file apart by.
      (source as { version?: string }).version = sha256Hex(text);
      sources.set(file, { text, how: howText(how), source });
      return source;
    },
  };
}

/** What the compiler asked about the disk to find files, and what it was told. */
interface Probe {
  readonly ask: (path: string) => unknown;
  readonly path: string;
  readonly answer: string;
}

const PROBES = ["fileExists", "directoryExists", "getDirectories", "readFile", "realpath"] as const;

function holds({ ask, path, answer }: Probe): boolean {
  return textOf(ask(path)) === answer;
}

function textOf(answer: unknown): string {
  return answer === undefined ? "" : JSON.stringify(answer);
}

function howText(how: ts.ScriptTarget | ts.CreateSourceFileOptions): string {
  if (typeof how !== "object") return String(how);
  return JSON.stringify([how.languageVersion, how.impliedNodeFormat, how.jsDocParsingMode]);
}

/** The options as text, with that of tsconfig.json, which their problems are placed in. */
function settingsText({ configFile, ...options }: ts.CompilerOptions): string {
  const { text } = (configFile ?? {}) as { readonly text?: string };
  return JSON.stringify([text, options]);
}
