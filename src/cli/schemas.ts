import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Generated, GenerateProgress, GeneratorProblem } from "../schema/generator/index.js";
import type { ProgressLine } from "./progress-line.js";

export interface SchemasArgs {
  /** Relative to the working directory. */
  readonly tsconfig: string;
  /** The artefact, relative to the working directory. */
  readonly out: string;
  /** Whether to compare instead of writing. */
  readonly check: boolean;
  /** Whether to answer one JSON document on stdout. */
  readonly json: boolean;
}

/** Where lines go, without their line feeds. */
export interface LineIo {
  readonly stdout: (line: string) => void;
  readonly stderr: (line: string) => void;
  /** Where it is told how far a long run is. */
  readonly progress?: ProgressLine;
}

/**
 * `salvor schemas`: generates the schemas of a program's `@Tool` classes (docs/schemas.md).
 *
 * @returns the exit code: 0; 1 when something has to be changed first, and the old artefact stays; 2 when `check` found differences.
 */
export async function runSchemas(args: SchemasArgs, io: LineIo): Promise<number> {
  // The compiler takes a third of a second to load, and no other verb needs it.
  const { generateSchemas, writeArtefact, ...rendering } = await import("../schema/generator/index.js");
  const cwd = process.cwd();
  const out = resolve(cwd, args.out);
  const generated = generateWith(io.progress, (onProgress) =>
    generateSchemas({ tsconfig: args.tsconfig, out, cwd, onProgress }),
  );
  if (generated.problems.length > 0) return reportProblems(generated, rendering.renderProblem, args, io);
  const { artefact, text } = generated as Extract<Generated, { text: string }>;
  const count = Object.keys(artefact.tools).length;
  const shown = relative(cwd, out);
  const tools = `${count} ${count === 1 ? "tool" : "tools"}`;
  if (count === 0) io.stderr(`no class with @Tool in the program of ${args.tsconfig}`);
  if (args.check) {
    const differences = rendering.compareArtefacts(read(out), text, artefact);
    return reportDifferences(differences, { shown, tools }, args, io);
  }
  const changed = read(out) !== text;
  if (changed) writeArtefact(out, text);
  if (args.json)
    io.stdout(JSON.stringify({ ok: true, out: shown, tools: Object.keys(artefact.tools), changed }));
  else io.stdout(`${shown}: ${tools}${changed ? "" : ", unchanged"}`);
  return 0;
}

function reportProblems(
  { problems }: Generated,
  render: (problem: GeneratorProblem) => string,
  args: SchemasArgs,
  io: LineIo,
): number {
  if (args.json) {
    io.stdout(JSON.stringify({ ok: false, problems }));
    return 1;
  }
  for (const problem of problems) io.stderr(`${render(problem)}\n`);
  const count = problems.length;
  io.stderr(`${count} ${count === 1 ? "problem" : "problems"}; nothing was written`);
  return 1;
}

function reportDifferences(
  differences: readonly string[],
  fresh: { readonly shown: string; readonly tools: string },
  args: SchemasArgs,
  io: LineIo,
): number {
  if (args.json) io.stdout(JSON.stringify({ ok: differences.length === 0, out: fresh.shown, differences }));
  else if (differences.length === 0) io.stdout(`${fresh.shown}: ${fresh.tools}, up to date`);
  if (differences.length === 0) return 0;
  if (!args.json) {
    for (const line of differences) io.stderr(`${fresh.shown}: ${line}`);
    io.stderr("run salvor schemas to write it anew");
  }
  return 2;
}

function generateWith(
  line: ProgressLine | undefined,
  generate: (onProgress: (progress: GenerateProgress) => void) => Generated,
): Generated {
  try {
    return generate((progress) => line?.show(progressText(progress)));
  } finally {
    line?.clear();
  }
}

const STAGES = {
  reading: ["reading types", "tools"],
  checking: ["checking types", "files"],
  writing: ["making schemas", "tools"],
} as const;

/** How far a run is, in a few words. */
export function progressText({ stage, done, total }: GenerateProgress): string {
  const [doing, what] = STAGES[stage];
  return `${doing}: ${done} of ${total} ${what}`;
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
