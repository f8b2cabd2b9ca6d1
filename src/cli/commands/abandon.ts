import { Command } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseRunArgument } from "../option-parsers.js";

export interface AbandonOptions extends RemoteOptions {
  readonly reason?: string;
  readonly yes?: true;
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

const NOTES = `A write that is open is recorded as unresolved: abandoning does not undo it. Settle it with "salvor resolve" where you can.
A write whose identity reaches past its run must be settled first.`;

/** `salvor abandon`: a person ends a run for good. */
export function abandonCommand(): Command {
  const command = new Command("abandon")
    .description("End a run for good. Nothing can be recorded in it afterwards.")
    .argument("<RUN>", "the id of the run", parseRunArgument)
    .option("--reason <TEXT>", "why, kept in the log")
    .option("--yes", "do not ask first; required where no terminal is");
  withServerOptions(command)
    .option("--json", "print the server's answer as JSON")
    .action(async (run: string, options: AbandonOptions) => {
      const { runAbandon } = await import("../abandon.js");
      process.exitCode = await runAbandon(run, options);
    });
  return withExamples(
    command,
    [
      [`salvor abandon ${RUN} --reason 'customer withdrew'`, "asks before it ends the run"],
      [`salvor abandon ${RUN} --operator-token OPERATOR_TOKEN --yes`, "from a script"],
    ],
    NOTES,
  );
}
