import { resolve } from "node:path";
import type { SchemaArtefact, ToolSchemas } from "../contract/artefact.js";
import type { JsonObject } from "../contract/json.js";
import { DeclarationError, draftDeclaration, renderProblem, type SchemaSide } from "../declarations/index.js";
import { didYouMean } from "../schema/did-you-mean.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import { printable } from "./printable.js";
import { shellWord } from "./shell-word.js";
import { err, out, printJson } from "./terminal.js";

/** Where the artefact usually is: a program may import it before it is there. */
const ARTEFACT = "src/tools.schemas.json";

/** Prints the declaration of a tool class, or only one of its schemas. */
export async function runDeclare(
  tool: string,
  options: { readonly tsconfig: string; readonly schema?: SchemaSide },
): Promise<ExitCode> {
  const artefact = await schemasOf(options.tsconfig);
  const [name, schemas] = find(tool, artefact, options.tsconfig);
  if (options.schema !== undefined) {
    printJson(schemas[options.schema]);
    return EXIT.ok;
  }
  const { text, schemaFiles } = draftOf(name, schemas);
  out.line(text.trimEnd());
  for (const { side, file } of schemaFiles) {
    const more = options.tsconfig === "tsconfig.json" ? "" : ` --tsconfig ${shellWord(options.tsconfig)}`;
    err.line(`${err.paint("yellow", "note:")} the ${side} schema holds a null, which TOML does not have.`);
    err.line(`Next: salvor declare ${name}${more} --schema ${side} > ${file}, beside the declaration`);
  }
  return EXIT.ok;
}

/**
 * What a program's classes say of themselves.
 *
 * @throws {@link CliError} with every problem when a schema cannot be generated.
 */
export async function schemasOf(tsconfig: string): Promise<SchemaArtefact> {
  const { generateSchemas, renderProblem: render } = await import("../schema/generator/index.js");
  const cwd = process.cwd();
  const generated = generateSchemas({ tsconfig, out: resolve(cwd, ARTEFACT), cwd });
  if ("artefact" in generated) return generated.artefact;
  const { problems } = generated;
  const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  throw new CliError(
    `${count} in the program of ${printable(tsconfig)}\n${problems.map((problem) => `${render(problem)}\n`).join("\n")}`,
    { next: "put it right, then the same command again (docs/schemas.md)" },
  );
}

/** A tool by its name, or by its class where that is the name of one class only. */
function find(
  asked: string,
  { tools }: SchemaArtefact,
  tsconfig: string,
): readonly [name: string, schemas: ToolSchemas] {
  const all = Object.entries(tools);
  const named = all.find(([name]) => name === asked);
  if (named !== undefined) return named;
  const [found, ...others] = all.filter(([, { class: className }]) => className === asked);
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) {
    const names = [found, ...others].map(([name]) => name);
    throw new CliError(`the classes of ${names.join(" and ")} are all called ${printable(asked)}`, {
      next: `salvor declare ${names[0] ?? ""}`,
    });
  }
  const near = didYouMean(
    asked,
    all.flatMap(([name, { class: className }]) => [name, className]),
  );
  const names = all.map(([name]) => name).join(", ");
  throw new CliError(
    `no class with @Tool in the program of ${printable(tsconfig)} is the tool ${printable(asked)} ` +
      `(its tools: ${names === "" ? "none" : printable(names)})`,
    { next: near === undefined ? "salvor declare TOOL, with one of them" : `did you mean ${near}?` },
  );
}

function draftOf(name: string, schemas: ToolSchemas): ReturnType<typeof draftDeclaration> {
  try {
    return draftDeclaration(name, schemas);
  } catch (cause) {
    if (!(cause instanceof DeclarationError)) throw cause;
    const lines = cause.problems.map((problem) => printable(renderProblem(problem))).join("\n");
    throw new CliError(`a server would refuse the declaration of ${name}:\n${lines}`, {
      next: `make the types of ${schemas.class} in ${printable(schemas.file)} smaller, or write the declaration by hand`,
      cause,
    });
  }
}

/** A generated schema as data. */
export function schemaOf(schemas: ToolSchemas, side: SchemaSide): JsonObject {
  return schemas[side] as JsonObject;
}
