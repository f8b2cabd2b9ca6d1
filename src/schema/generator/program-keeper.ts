import { ConfigReader, type Project } from "./config-reader.js";
import { IncrementalProgram } from "./incremental-program.js";
import { SourceCache } from "./source-cache.js";

/** What is kept from one loading of a solution to the next. A new one knows nothing, and changes no answer. */
export class ProgramKeeper {
  readonly #sources = new SourceCache();
  readonly #programs = new Map<string, IncrementalProgram>();
  #projects: ReadonlyMap<string, Project> = new Map();

  /** Reads the settings of projects as they are now. */
  reader(): ConfigReader {
    return new ConfigReader(this.#projects);
  }

  /**
   * Makes the programs of a project.
   *
   * @param file the project's tsconfig.json, absolute.
   */
  programsOf({ file, diagnostics }: Project): IncrementalProgram {
    // What is made under settings that are half written is of no use to any other time.
    if (diagnostics.length > 0) return new IncrementalProgram(this.#sources);
    const programs = this.#programs.get(file) ?? new IncrementalProgram(this.#sources);
    this.#programs.set(file, programs);
    return programs;
  }

  /** Keeps what a loading has read, and forgets what no program is made from any more. */
  keep({ projects }: ConfigReader): void {
    this.#projects = projects;
    for (const file of this.#programs.keys()) if (!projects.has(file)) this.#programs.delete(file);
    this.#sources.keepOnly([...this.#programs.values()].flatMap(({ programs }) => programs));
  }
}
