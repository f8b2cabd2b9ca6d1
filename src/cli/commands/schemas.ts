import { Command } from "commander";
import { CliError, EXIT } from "../cli-error.js";
import { withExamples } from "../help.js";
import { progressLine } from "../progress-line.js";
import { whenAskedToStop } from "../shutdown.js";
import { sameCommand } from "../shell-word.js";
import { err, out } from "../terminal.js";

export interface SchemasOptions {
  readonly tsconfig: string;
  readonly out: string;
  readonly check?: true;
  readonly watch?: true;
  readonly json?: true;
}

const NOTES = `A type that JSON Schema cannot express is refused with its place and what to write instead; nothing is written then (exit 1).
With --check nothing is ever written, and exit 2 says that the file is out of date. With --watch it goes on until Ctrl-C,
one line for each edit, or every problem while the old file stays.`;

/** `salvor schemas`: from the types of tool classes to their schemas. */
export function schemasCommand(): Command {
  const command = new Command("schemas")
    .description("Generate the JSON Schemas of a program's @Tool classes from their TypeScript types.")
    .option("--tsconfig <FILE>", "the program, or the folder its tsconfig.json lies in", "tsconfig.json")
    .option("--out <FILE>", "the file to write", "src/tools.schemas.json")
    .option("--check", "compare with the file instead of writing it")
    .option("--watch", "go on, and write the file again after each edit")
    .option("--json", "print the report as JSON; with --watch a line for each edit")
    .action(async (options: SchemasOptions) => {
      const { tsconfig, check = false, watch = false, json = false } = options;
      const io = {
        stdout: (line: string) => {
          out.line(line);
        },
        stderr: (line: string) => {
          err.line(line);
        },
        progress: progressLine(process.stderr),
      };
      if (check && watch) {
        throw new CliError(
          "--check compares once and writes nothing, so it cannot be combined with --watch",
          {
            next: "salvor schemas --watch, or salvor schemas --check in CI",
            exitCode: EXIT.usage,
          },
        );
      }
      if (watch) {
        const { watchSchemas } = await import("../watch-schemas.js");
        await watchSchemas({ tsconfig, out: options.out, json }, io, whenAskedToStop());
        return;
      }
      const { runSchemas } = await import("../schemas.js");
      const code = await runSchemas({ tsconfig, out: options.out, check, json }, io);
      if (code === 1 && !json) err.line(`Next: put it right, then ${sameCommand()}`);
      process.exitCode = code;
    });
  return withExamples(
    command,
    [
      ["salvor schemas", "write src/tools.schemas.json for the program of tsconfig.json"],
      ["salvor schemas --watch", "while you edit: write the file again whenever a type has changed"],
      ["salvor schemas --check", "for CI: fail when a type has changed and the file has not"],
    ],
    NOTES,
  );
}
