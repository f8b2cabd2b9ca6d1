import { Command, Option } from "commander";
import { RUN_STATES, type RunStateName } from "../../log/fold.js";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseCount } from "../option-parsers.js";

export const GROUPS = ["waiting", "progress", "terminal"] as const;

export interface ListOptions extends RemoteOptions {
  readonly status?: RunStateName;
  readonly group?: (typeof GROUPS)[number];
  readonly limit?: number;
  readonly json?: true;
}

/** `salvor list`: the runs of a server. */
export function listCommand(): Command {
  const command = new Command("list")
    .description("List the runs of a server, oldest first, and mark those that wait for a person.")
    .addOption(new Option("--status <STATUS>", "only runs in this state").choices(RUN_STATES))
    .addOption(
      new Option("--group <GROUP>", "only runs that wait for a person, are in progress, or are over").choices(
        GROUPS,
      ),
    )
    .option("--limit <N>", "at most this many", parseCount);
  withServerOptions(command)
    .option("--json", "print the server's answer as JSON")
    .action(async (options: ListOptions) => {
      const { runList } = await import("../list.js");
      process.exitCode = await runList(options);
    });
  return withExamples(command, [
    ["salvor list", "every run"],
    ["salvor list --group waiting", "what needs a person"],
    ["salvor list --status failed --limit 20 --json", "for a script"],
  ]);
}
