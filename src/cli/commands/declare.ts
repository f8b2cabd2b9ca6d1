import { Command, Option } from "commander";
import type { SchemaSide } from "../../declarations/index.js";
import { CliError, EXIT, type ExitCode } from "../cli-error.js";
import { withExamples } from "../help.js";

interface DeclareOptions {
  readonly tsconfig: string;
  readonly check?: readonly string[];
  readonly schema?: SchemaSide;
  readonly json?: true;
}

const NOTES = `The draft trusts nobody: trust_completion is false, and a person settles every call until an operator says otherwise.
Exit 1 when a schema cannot be generated, a declaration is at fault, or there is no such tool; with --check, exit 2 says that
class and declaration have drifted apart.`;

/** `salvor declare`: from a tool class to the declaration of it, and whether both still say the same. */
export function declareCommand(): Command {
  const command = new Command("declare")
    .description("Draft the declaration of a tool class, or compare declarations with their classes.")
    .argument("[TOOL]", "the tool, by its name or its class")
    .option("--tsconfig <FILE>", "the program, or the folder its tsconfig.json lies in", "tsconfig.json")
    .option("--check <FILE...>", "compare declarations, or folders of *.toml, with the program's classes")
    .addOption(new Option("--schema <SIDE>", "print only this schema, as JSON").choices(["input", "output"]))
    .option("--json", "with --check: print the report as JSON")
    .action(async (tool: string | undefined, options: DeclareOptions) => {
      process.exitCode = await run(tool, options);
    });
  return withExamples(
    command,
    [
      ["salvor declare refund_card > refund-card.toml", "draft a declaration, to be read and completed"],
      [
        "salvor declare RefundCard --tsconfig app/tsconfig.json",
        "by the name of the class, from another program",
      ],
      [
        "salvor declare --check refund-card.toml",
        "for CI: exit 2 when class and declaration have drifted apart",
      ],
    ],
    NOTES,
  );
}

async function run(tool: string | undefined, options: DeclareOptions): Promise<ExitCode> {
  const { tsconfig, check, schema, json = false } = options;
  if (check !== undefined) {
    if (tool !== undefined || schema !== undefined)
      throw usage("--check compares every tool of its files: leave TOOL and --schema out");
    const { runDeclareCheck } = await import("../declare-check.js");
    return runDeclareCheck(check, { tsconfig, json });
  }
  if (tool === undefined) throw usage("which tool? Give its name or its class, or --check FILE");
  if (json) throw usage("--json goes with --check; a draft is TOML");
  const { runDeclare } = await import("../declare.js");
  return runDeclare(tool, { tsconfig, ...(schema !== undefined && { schema }) });
}

function usage(message: string): CliError {
  return new CliError(message, { next: "salvor declare --help", exitCode: EXIT.usage });
}
