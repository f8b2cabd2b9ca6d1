import { Command, Option } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseCount } from "../option-parsers.js";

export const STATES = [
  "running",
  "awaiting_model",
  "awaiting_tool",
  "needs_reconciliation",
  "suspended",
  "budget_exceeded",
  "completed",
  "failed",
  "abandoned",
] as const;

export const GROUPS = ["waiting", "progress", "terminal"] as const;

export interface ListOptions extends RemoteOptions {
  readonly status?: (typeof STATES)[number];
  readonly group?: (typeof GROUPS)[number];
  readonly limit?: number;
  readonly json: boolean;
}

/** `salvor list`: the runs of a server. */
export function listCommand(): Command {
  const command = new Command("list")
    .description("List the runs of a server, oldest first, and mark those that wait for a person.")
    .addOption(new Option("--status <STATUS>", "only runs in this state").choices(STATES))
    .addOption(
      new Option("--group <GROUP>", "only runs that wait for a person, are in progress, or are over").choices(
        GROUPS,
      ),
    )
    .option("--limit <N>", "at most this many", parseCount);
  withServerOptions(command)
    .option("--json", "print the server's answer as JSON", false)
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
