import type { SchemaArtefact } from "../contract/artefact.js";
import { isEffect } from "../contract/effect.js";
import {
  DeclarationError,
  loadDeclarations,
  renderProblem,
  type ClientToolDeclaration,
  type LoadedDeclarations,
} from "../declarations/index.js";
import { toolDrift, type Drift } from "../log/tool-drift.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import { schemaOf, schemasOf } from "./declare.js";
import { printable } from "./printable.js";
import { err, out, printJson } from "./terminal.js";

/** A declaration, and in what its class differs. */
interface Compared {
  readonly tool: string;
  readonly file: string;
  readonly drifts: readonly Drift[];
}

/** What a declaration that has drifted exits with, as `schemas --check` does for a file that is out of date. */
const DRIFTED = EXIT.usage;

/** Says in what declarations and the tool classes of a program are not the same tools. */
export async function runDeclareCheck(
  files: readonly string[],
  options: { readonly tsconfig: string; readonly json: boolean },
): Promise<ExitCode> {
  const { registry } = load(files);
  const artefact = await schemasOf(options.tsconfig);
  const compared = registry.names().flatMap((tool): readonly Compared[] => {
    const declaration = registry.get(tool)?.declaration;
    if (declaration === undefined) return [];
    return [
      { tool, file: registry.fileOf(tool) ?? "", drifts: driftsOf(declaration, artefact, options.tsconfig) },
    ];
  });
  const ok = compared.every(({ drifts }) => drifts.length === 0);
  if (options.json) printJson({ ok, tools: compared });
  else report(compared, ok);
  return ok ? EXIT.ok : DRIFTED;
}

function load(files: readonly string[]): LoadedDeclarations {
  try {
    return loadDeclarations(files);
  } catch (cause) {
    if (!(cause instanceof DeclarationError)) throw cause;
    const lines = cause.problems.map((problem) => printable(renderProblem(problem))).join("\n");
    throw new CliError(`no server would start with these declarations:\n${lines}`, {
      next: "put them right, then the same command again",
      cause,
    });
  }
}

function driftsOf(
  declaration: ClientToolDeclaration,
  { tools }: SchemaArtefact,
  tsconfig: string,
): readonly Drift[] {
  const tool = declaration.name;
  const schemas = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (schemas === undefined) {
    const names = Object.keys(tools).join(", ");
    const message = `${tool}: no class in the program of ${tsconfig} is this tool (its tools: ${names === "" ? "none" : names})`;
    return [{ tool, what: "undeclared", message }];
  }
  const { effect } = schemas;
  if (!isEffect(effect)) throw new TypeError(`${tool} has the effect ${effect}`);
  const face = {
    name: tool,
    effect,
    inputSchema: schemaOf(schemas, "input"),
    outputSchema: schemaOf(schemas, "output"),
  };
  return toolDrift(face, declaration);
}

function report(compared: readonly Compared[], ok: boolean): void {
  for (const { file, drifts } of compared)
    for (const { message } of drifts) err.line(`${printable(file)}: ${printable(message)}`);
  if (ok) {
    const names = compared.map(({ tool }) => tool).join(", ");
    out.line(`${names}: class and declaration are the same tool`);
    return;
  }
  const drifted = compared.filter(({ drifts }) => drifts.length > 0).map(({ tool }) => tool);
  err.line(`Next: change the class or the declaration; salvor declare ${drifted[0] ?? ""} drafts it anew`);
}
