import { Command } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseRunArgument } from "../option-parsers.js";

export interface HistoryOptions extends RemoteOptions {
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

/** `salvor history`: what happened in a run. */
export function historyCommand(): Command {
  const command = new Command("history")
    .description(
      "Tell what happened in a run: one line an event, then refused reports and what the run waits for.",
    )
    .argument("<RUN>", "the id of the run", parseRunArgument);
  withServerOptions(command)
    .option("--json", 'print {"run", "log"} as JSON, nothing shortened')
    .action(async (run: string, options: HistoryOptions) => {
      const { runHistory } = await import("../history.js");
      process.exitCode = await runHistory(run, options);
    });
  return withExamples(command, [
    [`salvor history ${RUN}`, "the story of one run"],
    [`salvor history ${RUN} --json`, "its status, its refused reports and every envelope, for a script"],
  ]);
}
