import { dirname, resolve } from "node:path";
import ts from "typescript";
import { ARTEFACT_FORMAT, type SchemaArtefact, type ToolSchemas } from "../../contract/artefact.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import { hashValue } from "../../log/canonical-json.js";
import { artefactText } from "./artefact-text.js";
import { Assembler } from "./assemble.js";
import { discoverTools, type FoundTool, type ReportUnresolved } from "./discover.js";
import { Framework } from "./framework.js";
import { diagnosticProblem, loadProgram } from "./load-program.js";
import { Normaliser, type DocCheck } from "./normaliser.js";
import { relativePosix, type GeneratorProblem } from "./problem.js";
import { judgeValue, proveSchema } from "./prove.js";
import { Reporter } from "./reporter.js";
import { generatorVersions } from "./versions.js";
import { walkTool, type WalkedTool } from "./walk-tool.js";

/** Either an artefact, or every reason why there is none. */
export type Generated =
  | { readonly problems: readonly []; readonly artefact: SchemaArtefact; readonly text: string }
  | { readonly problems: readonly [GeneratorProblem, ...GeneratorProblem[]] };

export interface GenerateOptions {
  /** The program's tsconfig.json, relative to `cwd`. */
  readonly tsconfig: string;
  /** Where the artefact will be, relative to `cwd`: a program may import it before it is there. */
  readonly out?: string;
  readonly cwd: string;
  /** Told again and again how far the work is. */
  readonly onProgress?: (progress: GenerateProgress) => void;
}

/** How many of a program's tool classes have been read, or been given their schemas. */
export interface GenerateProgress {
  readonly stage: "reading" | "writing";
  readonly done: number;
  readonly total: number;
}

/**
 * Generates the schemas of every `@Tool` class of a program (docs/schemas.md). Reads files, writes none.
 */
export function generateSchemas(options: GenerateOptions): Generated {
  const { programs, root, problems } = loadProgram(resolve(options.cwd, options.tsconfig));
  const [broken, ...more] = problems;
  // Under settings that are not what they say, everything else that could be said would be guessed.
  if (broken !== undefined) return { problems: [broken, ...more] };
  const reporter = new Reporter(root);
  const readings = readPrograms(programs, reporter);
  const total = readings.reduce((sum, { classes }) => sum + classes.length, 0);
  const walked: WalkedTool[] = [];
  let done = 0;
  for (const { walk, framework, classes } of readings) {
    for (const found of classes) {
      options.onProgress?.({ stage: "reading", done, total });
      done += 1;
      walk.about(found.className);
      walk.touch(found.node);
      const tool = walkTool(walk, framework, found);
      if (tool !== undefined && isFirst(reporter, walked, tool)) walked.push(tool);
    }
  }
  reporter.about(undefined);
  const out = options.out === undefined ? undefined : resolve(options.cwd, options.out);
  for (const { walk } of readings) reportTypeErrors(walk, out);
  const checks = readings.flatMap(({ walk }) => walk.checks);
  const tools = schemasOf(reporter, walked, checks, options.onProgress);
  const [first, ...others] = inOrder(reporter.problems);
  if (first !== undefined) return { problems: [first, ...others] };
  const artefact: SchemaArtefact = {
    formatVersion: ARTEFACT_FORMAT,
    generator: generatorVersions(),
    inputs: inputsOf(tools),
    tools: Object.fromEntries(tools),
  };
  return { problems: [], artefact, text: artefactText(artefact) };
}

/** A program with its tool classes, and what reads their types. */
interface Reading {
  readonly walk: Normaliser;
  readonly framework: Framework;
  readonly classes: readonly FoundTool[];
}

/** Finds the tools of each program; a source that several hold is read in the first, whose own it is. */
function readPrograms(programs: readonly ts.Program[], reporter: Reporter): readonly Reading[] {
  const seen = new Set<string>();
  return programs.map((program) => {
    const checker = program.getTypeChecker();
    const framework = new Framework(checker);
    const unresolved: ReportUnresolved = (decorator, className) => {
      const message = "the decorator does not resolve, so whether the class is a tool cannot be told";
      reporter.at({ path: className, where: decorator }, message, "check the import and the name");
    };
    const classes = discoverTools(program, checker, framework, seen, unresolved);
    return { walk: new Normaliser(program, checker, reporter), framework, classes };
  });
}

function isFirst(reporter: Reporter, walked: readonly WalkedTool[], tool: WalkedTool): boolean {
  const holder = walked.find(({ name }) => name === tool.name);
  if (holder === undefined) return true;
  const { className, node } = tool.found;
  const file = relativePosix(reporter.root, holder.found.node.getSourceFile().fileName);
  reporter.at(
    { path: className, where: node.name ?? node },
    `the tool is called ${tool.name}, as ${holder.found.className} in ${file} is`,
    `another name for one of them: @Tool("${tool.effect}", { name: "..." })`,
  );
  return false;
}

/** A type that does not check is not what it says. Errors elsewhere in the program are left to the compiler. */
function reportTypeErrors({ program, touched, reporter }: Normaliser, out: string | undefined): void {
  for (const source of touched) {
    for (const diagnostic of [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]) {
      if (diagnostic.category !== ts.DiagnosticCategory.Error || diagnostic.reportsUnnecessary !== undefined)
        continue;
      if (isMissing(out, diagnostic)) continue;
      reporter.add(diagnosticProblem(reporter.root, diagnostic));
    }
  }
}

/** Judges what can be judged, and answers the tools when nothing at all was wrong. */
function schemasOf(
  reporter: Reporter,
  walked: readonly WalkedTool[],
  checks: readonly DocCheck[],
  onProgress: GenerateOptions["onProgress"],
): ReadonlyMap<string, ToolSchemas> {
  const complete = reporter.problems.length === 0;
  const roots = complete ? walked.flatMap(({ input, output }) => [input, output]) : [];
  const assembler = new Assembler([...roots, ...checks.map(({ shape }) => shape)]);
  for (const check of checks) judgeDoc(reporter, assembler, check);
  const tools = new Map<string, ToolSchemas>();
  if (!complete) return tools;
  for (const tool of [...walked].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    onProgress?.({ stage: "writing", done: tools.size, total: walked.length });
    reporter.about(tool.found.className);
    tools.set(tool.name, generatedTool(reporter, assembler, tool));
  }
  return tools;
}

/** Values in doc comments are of the type that they stand on. */
function judgeDoc(reporter: Reporter, assembler: Assembler, { place, doc, shape, tool }: DocCheck): void {
  reporter.about(tool);
  const schema = assembler.schemaOf(shape);
  const values = [
    ...(doc.default === undefined ? [] : [{ tag: "default", value: doc.default }]),
    ...(doc.examples ?? []).map((value) => ({ tag: "examples", value })),
  ];
  for (const { tag, value } of values) {
    const wrong = judgeValue(schema, value);
    if (wrong === undefined) continue;
    const message = `the value of @${tag}, ${JSON.stringify(value)}, is not of the type: ${wrong}`;
    reporter.at(place, message, "a value of the type, as JSON");
  }
}

function generatedTool(reporter: Reporter, assembler: Assembler, tool: WalkedTool): ToolSchemas {
  const { name, effect, description, found } = tool;
  const input = assembler.schemaOf(tool.input, { mustBeObject: true });
  const output = assembler.schemaOf(tool.output);
  for (const [path, schema] of [
    ["input", input],
    ["output", output],
  ] as [string, JsonObject][]) {
    const wrong = proveSchema(schema);
    if (wrong === undefined) continue;
    reporter.at({ path, where: found.node.name ?? found.node }, `the schema does not compile: ${wrong}`);
  }
  return {
    class: found.className,
    file: relativePosix(reporter.root, found.node.getSourceFile().fileName),
    effect,
    description,
    input,
    output,
    fingerprint: hashValue({ name, effect, input, output }),
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

/** Whether all that is wrong is that the artefact, which the program imports, has not been written yet. */
function isMissing(out: string | undefined, { code, file, start, length }: ts.Diagnostic): boolean {
  if (out === undefined || code !== CANNOT_FIND_MODULE) return false;
  if (file === undefined || start === undefined || length === undefined) return false;
  const specifier = file.text.slice(start + 1, start + length - 1);
  return specifier.startsWith(".") && resolve(dirname(file.fileName), specifier) === out;
}

const CANNOT_FIND_MODULE = 2307;

function inOrder(problems: readonly GeneratorProblem[]): readonly GeneratorProblem[] {
  const key = ({ file = "", line = 0, column = 0 }: GeneratorProblem): string =>
    `${file} ${String(line).padStart(9, "0")} ${String(column).padStart(9, "0")}`;
  return [...problems].sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -1 : 1));
}
