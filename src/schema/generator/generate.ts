import { resolve } from "node:path";
import { ARTEFACT_FORMAT, type SchemaArtefact, type ToolSchemas } from "../../contract/artefact.js";
import type { JsonValue } from "../../contract/json.js";
import { hashValue } from "../../log/canonical-json.js";
import { artefactText } from "./artefact-text.js";
import { loadProgram, type LoadedProgram } from "./load-program.js";
import type { DocCheck } from "./normaliser.js";
import { relativePosix, type GeneratorProblem } from "./problem.js";
import { ProgramKeeper } from "./program-keeper.js";
import { readTools, type NewTool, type ReadProject } from "./read-tools.js";
import { Reporter } from "./reporter.js";
import { SchemaMaker, type MadeSchema } from "./schema-maker.js";
import type { KnownTool } from "./tool-memory.js";
import { syntaxErrors, typeErrors } from "./type-errors.js";
import { generatorVersions } from "./versions.js";

/** Either an artefact, or every reason why there is none. */
export type Generated =
  | { readonly problems: readonly []; readonly artefact: SchemaArtefact; readonly text: string }
  | { readonly problems: readonly [GeneratorProblem, ...GeneratorProblem[]] };

export interface GenerateOptions {
  /** The program's tsconfig.json, or the folder that it lies in, relative to `cwd`. */
  readonly tsconfig: string;
  /** Where the artefact will be, relative to `cwd`: a program may import it before it is there. */
  readonly out?: string;
  readonly cwd: string;
  /** Told again and again how far the work is. */
  readonly onProgress?: (progress: GenerateProgress) => void;
}

/** How many of a solution's tool classes have been read, of their sources been checked, or of the classes been given schemas. */
export interface GenerateProgress {
  readonly stage: "reading" | "checking" | "writing";
  readonly done: number;
  readonly total: number;
}

/** Generates the schemas of every `@Tool` class of a program (docs/schemas.md). Reads files, writes none. */
export function generateSchemas(options: GenerateOptions): Generated {
  return new SchemaGenerator(options).generate();
}

/**
 * Generates the schemas of a program again and again as its files change: each time what {@link generateSchemas} would answer,
 * with whatever still holds of what the last times found out.
 */
export class SchemaGenerator {
  readonly #keeper = new ProgramKeeper();
  readonly #maker = new SchemaMaker();
  #loaded: LoadedProgram | undefined;

  constructor(private readonly options: GenerateOptions) {}

  /** The programs as they were last loaded, whatever was wrong with them. */
  get loaded(): LoadedProgram | undefined {
    return this.#loaded;
  }

  /** Generates from the files as they are now. */
  generate(): Generated {
    const steps = this.steps();
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      this.options.onProgress?.(step.value);
    }
  }

  /**
   * Generates from the files as they are when the first step is asked for, a little at each step, each of which says how far it
   * is. Need not be gone through to the end.
   */
  *steps(): Generator<GenerateProgress, Generated, void> {
    const { cwd, tsconfig, out } = this.options;
    const loaded = loadProgram(resolve(cwd, tsconfig), this.#keeper);
    this.#loaded = loaded;
    const [broken, ...more] = loaded.problems;
    // Under settings that are not what they say, everything else that could be said would be guessed.
    if (broken !== undefined) return { problems: [broken, ...more] };
    const reporter = new Reporter(loaded.root);
    const read = yield* readTools(loaded, reporter);
    yield* reportTypeErrors(loaded, read, reporter, out === undefined ? undefined : resolve(cwd, out));
    const checks = read.flatMap(({ walk }) => walk.checks);
    this.#judgeDocs(checks, reporter);
    const tools = read.flatMap((project) => project.tools);
    const complete =
      reporter.problems.length === 0 ? yield* this.#complete(tools, reporter) : new Map<never, never>();
    const [first, ...others] = inOrder(reporter.problems);
    if (first !== undefined) return { problems: [first, ...others] };
    // Only now: what is wrong with a type is told of the first tool that uses it, and the others only look right.
    for (const { project, graph, tools: own } of read) {
      project.memory.keep(
        own.flatMap((tool) => complete.get(tool) ?? []),
        graph,
      );
    }
    const artefact = artefactOf([...complete.values()]);
    return { problems: [], artefact, text: artefactText(artefact) };
  }

  /** Values in doc comments are of the type that they stand on. */
  #judgeDocs(checks: readonly DocCheck[], reporter: Reporter): void {
    for (const [at, values] of this.#maker.judge(checks).entries()) {
      const check = checks[at];
      if (check === undefined) continue;
      reporter.about(check.tool);
      for (const { tag, value, why } of values) {
        const message = `the value of @${tag}, ${JSON.stringify(value)}, is not of the type: ${why}`;
        reporter.at(check.place, message, "a value of the type, as JSON");
      }
    }
    reporter.about(undefined);
  }

  /** The tools with their schemas. */
  *#complete(
    tools: readonly (KnownTool | NewTool)[],
    reporter: Reporter,
  ): Generator<GenerateProgress, ReadonlyMap<KnownTool | NewTool, KnownTool>, void> {
    const unmade = tools.filter((tool) => !("schemas" in tool));
    const wanted = unmade.flatMap(({ tool: { input, output } }) => [
      { shape: input, mustBeObject: true },
      { shape: output },
    ]);
    const made: MadeSchema[] = [];
    for (const schema of this.#maker.make(wanted)) {
      if (made.length % 2 === 0) yield { stage: "writing", done: made.length / 2, total: unmade.length };
      made.push(schema);
    }
    const complete = new Map<KnownTool | NewTool, KnownTool>();
    for (const tool of tools) if ("schemas" in tool) complete.set(tool, tool);
    for (const [at, one] of unmade.entries()) {
      const { found, name, effect, description } = one.tool;
      reporter.about(found.className);
      const [input = {}, output = {}] = [made[2 * at], made[2 * at + 1]].map((side, which) => {
        const place = { path: which === 0 ? "input" : "output", where: found.node.name ?? found.node };
        if (side?.wrong !== undefined) reporter.at(place, `the schema does not compile: ${side.wrong}`);
        return side?.schema;
      });
      const schemas: ToolSchemas = {
        class: found.className,
        file: relativePosix(reporter.root, found.node.getSourceFile().fileName),
        effect,
        description,
        input,
        output,
        fingerprint: hashValue({ name, effect, input, output }),
      };
      complete.set(one, { ...one, schemas });
    }
    return complete;
  }
}

function* reportTypeErrors(
  loaded: LoadedProgram,
  read: readonly ReadProject[],
  reporter: Reporter,
  out: string | undefined,
): Generator<GenerateProgress, void, void> {
  const syntax = loaded.projects.flatMap((project) => syntaxErrors(project, loaded.root));
  for (const problem of syntax) reporter.add(problem);
  const files = new Set(read.flatMap(({ sources }) => [...sources].map(({ fileName }) => fileName)));
  for (const [done, file] of [...files].entries()) {
    yield { stage: "checking", done, total: files.size };
    for (const problem of typeErrors(loaded, file, out)) reporter.add(problem);
  }
}

function artefactOf(tools: readonly KnownTool[]): SchemaArtefact {
  const named = tools.map(({ tool: { name }, schemas }): [string, ToolSchemas] => [name, schemas]);
  const sorted = new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    formatVersion: ARTEFACT_FORMAT,
    generator: generatorVersions(),
    inputs: inputsOf(sorted),
    tools: Object.fromEntries(sorted),
  };
}

/** For each file, a hash of what its tools became: the same after an edit that changes no schema. */
function inputsOf(tools: ReadonlyMap<string, ToolSchemas>): { readonly [file: string]: string } {
  const files = new Map<string, Record<string, JsonValue>>();
  for (const [name, { file, class: className, description = "", fingerprint }] of tools) {
    files.set(file, { ...files.get(file), [name]: { class: className, description, fingerprint } });
  }
  return Object.fromEntries([...files].map(([file, own]) => [file, hashValue(own).replace(/^sha256:/, "")]));
}

function inOrder(problems: readonly GeneratorProblem[]): readonly GeneratorProblem[] {
  const key = ({ file = "", line = 0, column = 0 }: GeneratorProblem): string =>
    `${file} ${String(line).padStart(9, "0")} ${String(column).padStart(9, "0")}`;
  return [...problems].sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -1 : 1));
}
