import { dirname, resolve } from "node:path";
import ts from "typescript";
import { ARTEFACT_FORMAT, type SchemaArtefact, type ToolSchemas } from "../../contract/artefact.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import { hashValue } from "../../log/canonical-json.js";
import { artefactText } from "./artefact-text.js";
import { Assembler } from "./assemble.js";
import { discoverTools } from "./discover.js";
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
  const { program, root, problems } = loadProgram(resolve(options.cwd, options.tsconfig));
  const [broken, ...more] = problems;
  // Under settings that are not what they say, everything else that could be said would be guessed.
  if (broken !== undefined) return { problems: [broken, ...more] };
  const reporter = new Reporter(root);
  const checker = program.getTypeChecker();
  const framework = new Framework(checker);
  const walk = new Normaliser(program, checker, reporter);
  const walked: WalkedTool[] = [];
  const classes = discoverTools(program, checker, framework, (decorator, className) => {
    const message = "the decorator does not resolve, so whether the class is a tool cannot be told";
    reporter.at({ path: className, where: decorator }, message, "check the import and the name");
  });
  for (const [done, found] of classes.entries()) {
    options.onProgress?.({ stage: "reading", done, total: classes.length });
    walk.about(found.className);
    walk.touch(found.node);
    const tool = walkTool(walk, framework, found);
    if (tool !== undefined && isFirst(walk, walked, tool)) walked.push(tool);
  }
  walk.about(undefined);
  reportTypeErrors(walk, program, options.out === undefined ? undefined : resolve(options.cwd, options.out));
  const tools = schemasOf(walk, walked, options.onProgress);
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

function isFirst(walk: Normaliser, walked: readonly WalkedTool[], tool: WalkedTool): boolean {
  const holder = walked.find(({ name }) => name === tool.name);
  if (holder === undefined) return true;
  const { className, node } = tool.found;
  const file = relativePosix(walk.reporter.root, holder.found.node.getSourceFile().fileName);
  walk.reporter.at(
    { path: className, where: node.name ?? node },
    `the tool is called ${tool.name}, as ${holder.found.className} in ${file} is`,
    `another name for one of them: @Tool("${tool.effect}", { name: "..." })`,
  );
  return false;
}

/** A type that does not check is not what it says. Errors elsewhere in the program are left to the compiler. */
function reportTypeErrors(walk: Normaliser, program: ts.Program, out: string | undefined): void {
  for (const source of walk.touched) {
    for (const diagnostic of [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]) {
      if (diagnostic.category !== ts.DiagnosticCategory.Error || diagnostic.reportsUnnecessary !== undefined)
        continue;
      if (isMissing(out, diagnostic)) continue;
      walk.reporter.add(diagnosticProblem(walk.reporter.root, diagnostic));
    }
  }
}

/** Judges what can be judged, and answers the tools when nothing at all was wrong. */
function schemasOf(
  walk: Normaliser,
  walked: readonly WalkedTool[],
  onProgress: GenerateOptions["onProgress"],
): ReadonlyMap<string, ToolSchemas> {
  const complete = walk.reporter.problems.length === 0;
  const roots = complete ? walked.flatMap(({ input, output }) => [input, output]) : [];
  const assembler = new Assembler([...roots, ...walk.checks.map(({ shape }) => shape)]);
  for (const check of walk.checks) judgeDoc(walk, assembler, check);
  const tools = new Map<string, ToolSchemas>();
  if (!complete) return tools;
  for (const tool of [...walked].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    onProgress?.({ stage: "writing", done: tools.size, total: walked.length });
    walk.about(tool.found.className);
    tools.set(tool.name, generatedTool(walk, assembler, tool));
  }
  return tools;
}

/** Values in doc comments are of the type that they stand on. */
function judgeDoc(walk: Normaliser, assembler: Assembler, { place, doc, shape, tool }: DocCheck): void {
  walk.about(tool);
  const schema = assembler.schemaOf(shape);
  const values = [
    ...(doc.default === undefined ? [] : [{ tag: "default", value: doc.default }]),
    ...(doc.examples ?? []).map((value) => ({ tag: "examples", value })),
  ];
  for (const { tag, value } of values) {
    const wrong = judgeValue(schema, value);
    if (wrong === undefined) continue;
    const message = `the value of @${tag}, ${JSON.stringify(value)}, is not of the type: ${wrong}`;
    walk.reporter.at(place, message, "a value of the type, as JSON");
  }
}

function generatedTool(walk: Normaliser, assembler: Assembler, tool: WalkedTool): ToolSchemas {
  const { name, effect, description, found } = tool;
  const input = assembler.schemaOf(tool.input, { mustBeObject: true });
  const output = assembler.schemaOf(tool.output);
  for (const [path, schema] of [
    ["input", input],
    ["output", output],
  ] as [string, JsonObject][]) {
    const wrong = proveSchema(schema);
    if (wrong === undefined) continue;
    walk.reporter.at({ path, where: found.node.name ?? found.node }, `the schema does not compile: ${wrong}`);
  }
  return {
    class: found.className,
    file: relativePosix(walk.reporter.root, found.node.getSourceFile().fileName),
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
