import { LRUCache } from "lru-cache";
import { ts } from "./typescript.js";
import { sha256Hex } from "../../log/canonical-json.js";
import { SourceCache } from "./source-cache.js";
import { isSame, sharedSources } from "./source-graph.js";
import { ToolMemory } from "./tool-memory.js";

/** What a program is made from. */
export interface ProgramSettings {
  readonly rootNames: readonly string[];
  readonly options: ts.CompilerOptions;
  readonly projectReferences: readonly ts.ProjectReference[];
  /** What the tsconfig.json of a reference says; the same object as long as it says the same. */
  readonly readReference: (file: string) => ts.ParsedCommandLine | undefined;
}

/** A program, and what is known of it from before. */
export interface MadeProgram {
  readonly program: ts.Program;
  /** The semantic diagnostics of a source; those of one that nothing changed for are not worked out again. */
  readonly diagnosticsOf: (source: ts.SourceFile) => readonly ts.Diagnostic[];
  /** What was read of its tools under the same options. */
  readonly memory: ToolMemory;
}

/** What is kept from one program to the next of the same options. */
interface Kept {
  readonly memory: ToolMemory;
  readonly probes: Map<string, Probe>;
  builder?: ts.SemanticDiagnosticsBuilderProgram;
  shared?: readonly ts.SourceFile[];
}

/**
 * Makes the program of a project again and again as its files change. What the last one found out is used as far as it still
 * holds. A new one answers what a program made from nothing would.
 */
export class IncrementalProgram {
  // Two: what holds under the options of before is still there when a mistake in them is taken back.
  readonly #kept = new LRUCache<string, Kept>({ max: 2 });

  constructor(private readonly sources = new SourceCache()) {}

  /** The programs that the next one may be made from. */
  get programs(): readonly ts.Program[] {
    return [...this.#kept.values()].flatMap(({ builder }) => builder?.getProgram() ?? []);
  }

  /** The program of these settings as the files are now. */
  make({ readReference, ...settings }: ProgramSettings): MadeProgram {
    const text = settingsText(settings.options);
    const kept: Kept = this.#kept.get(text) ?? { memory: new ToolMemory(), probes: new Map() };
    this.#kept.set(text, kept);
    const host = rememberingHost(settings.options, kept.probes, this.sources);
    host.getParsedCommandLine = readReference;
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
    let settled = false;
    const settle = (): void => {
      // Finds out which files a change reaches, without looking at them.
      while (builder.getSemanticDiagnosticsOfNextAffectedFile(undefined, () => true) !== undefined);
      settled = true;
    };
    return {
      program,
      memory: kept.memory,
      diagnosticsOf: (source) => {
        if (!settled) settle();
        return builder.getSemanticDiagnostics(source);
      },
    };
  }
}

/**
 * A compiler's host that keeps what it was told. What is imported from a project that is referenced is read from that project's
 * sources: what was built of them may be older than they are, or not there.
 */
function rememberingHost(
  options: ts.CompilerOptions,
  probes: Map<string, Probe>,
  sources: SourceCache,
): ts.CompilerHost & Pick<ts.WatchCompilerHost<never>, "useSourceOfProjectReferenceRedirect"> {
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
  return {
    ...host,
    ...(Object.assign({}, ...PROBES.map(probing)) as Partial<ts.CompilerHost>),
    createHash: sha256Hex,
    getSourceFile: sources.under(options, host.readFile.bind(host)),
    useSourceOfProjectReferenceRedirect: () => true,
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

/** The options as text, with that of tsconfig.json, which their problems are placed in. */
function settingsText({ configFile, ...options }: ts.CompilerOptions): string {
  const { text } = (configFile ?? {}) as { readonly text?: string };
  return JSON.stringify([text, options]);
}
