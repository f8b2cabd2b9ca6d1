import { Command } from "commander";
import { withExamples } from "../help.js";
import { progressLine } from "../progress-line.js";
import { sameCommand } from "../shell-word.js";
import { err, out } from "../terminal.js";

export interface SchemasOptions {
  readonly tsconfig: string;
  readonly out: string;
  readonly check?: true;
  readonly json?: true;
}

const NOTES = `A type that JSON Schema cannot express is refused with its place and what to write instead; nothing is written then (exit 1).
With --check nothing is ever written, and exit 2 says that the file is out of date.`;

/** `salvor schemas`: from the types of tool classes to their schemas. */
export function schemasCommand(): Command {
  const command = new Command("schemas")
    .description("Generate the JSON Schemas of a program's @Tool classes from their TypeScript types.")
    .option("--tsconfig <FILE>", "the program", "tsconfig.json")
    .option("--out <FILE>", "the file to write", "src/tools.schemas.json")
    .option("--check", "compare with the file instead of writing it")
    .option("--json", "print the report as JSON")
    .action(async (options: SchemasOptions) => {
      const { runSchemas } = await import("../schemas.js");
      const { tsconfig, check = false, json = false } = options;
      const code = await runSchemas(
        { tsconfig, out: options.out, check, json },
        {
          stdout: (line) => {
            out.line(line);
          },
          stderr: (line) => {
            err.line(line);
          },
          progress: progressLine(process.stderr),
        },
      );
      if (code === 1 && !json) err.line(`Next: put it right, then ${sameCommand()}`);
      process.exitCode = code;
    });
  return withExamples(
    command,
    [
      ["salvor schemas", "write src/tools.schemas.json for the program of tsconfig.json"],
      ["salvor schemas --check", "for CI: fail when a type has changed and the file has not"],
    ],
    NOTES,
  );
}
