import { dirname } from "node:path";
import { ts } from "./typescript.js";
import { placed } from "./config-place.js";
import { isWithoutMeaning, readableConfig, withLaterDefaults } from "./later-options.js";
import { typescriptMajor } from "./user-typescript.js";

/** What a tsconfig.json says, with all that it extends. */
export interface Project {
  readonly file: string;
  readonly fileNames: readonly string[];
  readonly options: ts.CompilerOptions;
  readonly references: readonly ts.ProjectReference[];
  readonly diagnostics: readonly ts.Diagnostic[];
  /** Whether the project is compiled with TypeScript 6 or newer. */
  readonly later: boolean;
  /** Absent when the file cannot be read. */
  readonly parsed?: ts.ParsedCommandLine;
}

/** Reads tsconfig.json files, each once, as the TypeScript of their folder means them. */
export class ConfigReader {
  readonly #projects = new Map<string, Project>();
  /** Every file that was read, as it is: the compiler may have been given other words. */
  readonly #texts = new Map<string, string>();
  readonly #asked = new Set<string>();

  /** @param before what was read another time: a project that says what it said then is the same object. */
  constructor(private readonly before?: ReadonlyMap<string, Project>) {}

  /** What was read, by its file. */
  get projects(): ReadonlyMap<string, Project> {
    return this.#projects;
  }

  /** The files that it was read from, with those that were looked for in vain. */
  get files(): readonly string[] {
    return [...this.#asked];
  }

  /** @param file absolute. */
  read(file: string): Project {
    const known = this.#projects.get(file);
    if (known !== undefined) return known;
    const now = this.#parse(file);
    const before = this.before?.get(file);
    const project = before !== undefined && saysTheSame(before, now) ? before : now;
    this.#projects.set(file, project);
    return project;
  }

  /** A diagnostic of a project with its place, in a file that is shown as the author wrote it. */
  placed(diagnostic: ts.Diagnostic, { file: projectFile }: Project): ts.Diagnostic {
    const found = placed(diagnostic, projectFile, this.#texts);
    const { file } = found;
    const text = file && this.#texts.get(file.fileName);
    if (file !== undefined && text !== undefined) file.text = text;
    return found;
  }

  #parse(file: string): Project {
    const later = typescriptMajor(dirname(file)) >= 6;
    const diagnostics: ts.Diagnostic[] = [];
    const parsed = ts.getParsedCommandLineOfConfigFile(
      file,
      {},
      {
        ...ts.sys,
        readFile: (name) => this.#readable(name, ts.sys.readFile(name)),
        onUnRecoverableConfigFileDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      },
    );
    if (parsed === undefined) {
      return { file, fileNames: [], options: {}, references: [], diagnostics, later };
    }
    diagnostics.push(...ts.getConfigFileParsingDiagnostics(parsed));
    if (later) parsed.options = withLaterDefaults(parsed.options);
    return {
      file,
      fileNames: parsed.fileNames,
      options: parsed.options,
      references: parsed.projectReferences ?? [],
      diagnostics: diagnostics.filter((diagnostic) => !isWithoutMeaning(diagnostic)),
      later,
      parsed,
    };
  }

  #readable(name: string, text: string | undefined): string | undefined {
    this.#asked.add(name);
    if (text === undefined) return undefined;
    this.#texts.set(name, text);
    return readableConfig(name, text);
  }
}

/** Whether two projects that were read from one file are the same, with nothing wrong in either. */
function saysTheSame(before: Project, now: Project): boolean {
  return before.diagnostics.length + now.diagnostics.length === 0 && meaning(before) === meaning(now);
}

function meaning({ fileNames, options, references, parsed, later }: Project): string {
  const { configFile } = options as { readonly configFile?: ts.JsonSourceFile };
  return JSON.stringify([
    configFile?.text,
    fileNames,
    options,
    references,
    later,
    parsed?.wildcardDirectories,
  ]);
}
