import { Command } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseRunArgument } from "../option-parsers.js";

export interface ReplayOptions extends RemoteOptions {
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

/** `salvor replay`: what the log of a run means. */
export function replayCommand(): Command {
  const command = new Command("replay")
    .description("Say what the log of a run means: its status, its open call, its usage and what comes next.")
    .argument("<RUN>", "the id of the run", parseRunArgument);
  withServerOptions(command)
    .option("--json", "print the server's answer as JSON")
    .action(async (run: string, options: ReplayOptions) => {
      const { runReplay } = await import("../replay.js");
      process.exitCode = await runReplay(run, options);
    });
  return withExamples(
    command,
    [
      [`salvor replay ${RUN}`, "where a driver that comes back would go on"],
      [`salvor replay ${RUN} --json`, "for a script"],
    ],
    "Nothing is performed and nothing is recorded: the log is read and folded.",
  );
}
