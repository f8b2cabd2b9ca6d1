import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { SchemaArtefact } from "../contract/artefact.js";
import type * as Generator from "../schema/generator/index.js";
import { FolderWatch } from "./folder-watch.js";
import { progressText, type LineIo, type SchemasArgs } from "./schemas.js";

/** How long the work may keep signals and edits waiting, in milliseconds. */
const TURN = 50;

/** How many changes a line tells one by one. */
const TOLD = 4;

/**
 * `salvor schemas --watch`: generates, and again after each edit, until it is asked to stop. Whatever an edit leaves behind, it goes
 * on; while anything is wrong the old artefact stays.
 *
 * @param stopped settles when it is to stop.
 * @throws {@link CliError} when the system does not let the folders of the program be watched.
 */
export async function watchSchemas(
  args: Omit<SchemasArgs, "check">,
  io: LineIo,
  stopped: Promise<unknown>,
): Promise<void> {
  // The compiler takes a third of a second to load, and no other verb needs it.
  const watching = new SchemaWatch(args, io, await import("../schema/generator/index.js"));
  try {
    await Promise.race([watching.run(), stopped]);
  } finally {
    watching.close();
  }
}

class SchemaWatch {
  readonly #cwd = process.cwd();
  readonly #out: string;
  readonly #watch: FolderWatch;
  #generator: Generator.SchemaGenerator;
  #wake: () => void = () => undefined;
  #closed = false;
  #last: Round | undefined;

  constructor(
    private readonly args: Omit<SchemasArgs, "check">,
    private readonly io: LineIo,
    private readonly library: typeof Generator,
  ) {
    this.#out = resolve(this.#cwd, args.out);
    this.#generator = this.#fresh();
    this.#watch = new FolderWatch(
      () => {
        this.#wake();
      },
      (file) => file === this.#out || file.endsWith(".tmp"),
    );
  }

  async run(): Promise<never> {
    for (;;) {
      const woken = new Promise<void>((wake) => (this.#wake = wake));
      await this.#round();
      await woken;
    }
  }

  close(): void {
    this.#closed = true;
    this.io.progress?.clear();
    this.#watch.close();
  }

  async #round(): Promise<void> {
    const start = performance.now();
    let generated: Generator.Generated | undefined;
    try {
      generated = await this.#generate();
      if (generated === undefined) return;
      this.#settle(generated, start);
    } catch (error) {
      // What was kept may be what is at fault.
      this.#generator = this.#fresh();
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.io.stderr(`no schemas could be generated; waiting for the next edit: ${why}`);
    }
    const { loaded } = this.#generator;
    if (loaded !== undefined && this.#watch.set(this.library.watchedFolders(loaded))) this.#watch.nudge();
  }

  /** Generates with pauses, in which edits are noticed; answers nothing when it is to stop. */
  async #generate(): Promise<Generator.Generated | undefined> {
    const steps = this.#generator.steps();
    let turn = performance.now() + TURN;
    try {
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        this.io.progress?.show(progressText(step.value));
        if (performance.now() < turn) continue;
        await setImmediate();
        if (this.#closed) return undefined;
        turn = performance.now() + TURN;
      }
    } finally {
      this.io.progress?.clear();
    }
  }

  /** Writes what was generated, and tells about it unless nothing has happened at all. */
  #settle(generated: Generator.Generated, start: number): void {
    const last = this.#last;
    const files = this.#files();
    const edited = last === undefined ? [] : changedFiles(last.files, files);
    const problems = JSON.stringify(generated.problems);
    const artefact = "artefact" in generated ? generated.artefact : last?.artefact;
    const isNew = last === undefined || edited.length > 0 || problems !== last.problems;
    const changed = "text" in generated && this.#read() !== generated.text;
    if ("text" in generated && changed) this.library.writeArtefact(this.#out, generated.text);
    this.#last = { files, problems, ...(artefact !== undefined && { artefact }) };
    if (!isNew && !changed) return;
    const round = { edited, changed, ms: Math.round(performance.now() - start) };
    if ("text" in generated) this.#tell(generated.artefact, last, round);
    else this.#complain(generated, round);
  }

  #tell(artefact: SchemaArtefact, last: Round | undefined, { edited, changed, ms }: Told): void {
    const out = relative(this.#cwd, this.#out);
    const tools = Object.keys(artefact.tools);
    if (this.args.json) {
      this.io.stdout(JSON.stringify({ ok: true, out, tools, changed, edited, ms }));
      return;
    }
    const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
    if (tools.length === 0) this.io.stderr(`no class with @Tool in the program of ${this.args.tsconfig}`);
    if (last === undefined) {
      this.io.stdout(`${out}: ${count}${changed ? "" : ", unchanged"} (${ms} ms); watching until Ctrl-C`);
      return;
    }
    const lines =
      last.artefact === undefined
        ? [count]
        : this.library.toolDifferences(last.artefact.tools, artefact.tools);
    const what = lines.length > 0 ? some(lines, "; ") : changed ? "written anew" : "unchanged";
    this.io.stdout(`${out}: ${what} (${[some(edited, ", "), `${ms} ms`].filter(Boolean).join("; ")})`);
  }

  #complain({ problems }: Generator.Generated, { edited, ms }: Told): void {
    const out = relative(this.#cwd, this.#out);
    if (this.args.json) {
      this.io.stdout(JSON.stringify({ ok: false, out, problems, edited, ms }));
      return;
    }
    for (const problem of problems) this.io.stderr(`${this.library.renderProblem(problem)}\n`);
    const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
    this.io.stderr(`${count}; ${out} stays as it is (${ms} ms)`);
  }

  /** Every file of the programs with what tells its versions apart; the artefact is not one that anybody edits. */
  #files(): ReadonlyMap<string, unknown> {
    const { loaded } = this.#generator;
    if (loaded === undefined) return new Map();
    const shown = (file: string): string => relative(this.#cwd, file);
    return new Map<string, unknown>([
      ...loaded.projects
        .flatMap(({ program }) => program.getSourceFiles())
        .filter(({ fileName }) => fileName !== this.#out)
        .map((source) => [shown(source.fileName), source] as const),
      ...loaded.configs.map((file) => [shown(file), textOf(file)] as const),
    ]);
  }

  #read(): string | undefined {
    return textOf(this.#out);
  }

  #fresh(): Generator.SchemaGenerator {
    const { tsconfig } = this.args;
    return new this.library.SchemaGenerator({ tsconfig, out: this.#out, cwd: this.#cwd });
  }
}

/** What the last round found. */
interface Round {
  readonly files: ReadonlyMap<string, unknown>;
  readonly problems: string;
  /** The last one without problems. */
  readonly artefact?: SchemaArtefact;
}

interface Told {
  readonly edited: readonly string[];
  readonly changed: boolean;
  readonly ms: number;
}

function changedFiles(
  before: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((file) => before.get(file) !== now.get(file))
    .sort();
}

function some(texts: readonly string[], separator: string): string {
  const more = texts.length - TOLD;
  return [...texts.slice(0, TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
