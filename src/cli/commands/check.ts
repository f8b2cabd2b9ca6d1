import { Command } from "commander";
import { withExamples } from "../help.js";

export interface CheckOptions {
  readonly json?: true;
}

/** `salvor check`: what `serve` says about declarations, without a server. */
export function checkCommand(): Command {
  const command = new Command("check")
    .description("Check declarations as serve does, without starting a server.")
    .argument("<FILE...>", "declarations, or folders of *.toml")
    .option("--json", "print the report as JSON")
    .action(async (files: readonly string[], options: CheckOptions) => {
      const { runCheck } = await import("../check.js");
      process.exitCode = await runCheck(files, options);
    });
  return withExamples(command, [
    [
      "salvor check refund-card.toml bank-payout.toml",
      "every problem of every file, with line and what to write",
    ],
    ["salvor check --json tools/", "the same for a script; exit 1 when anything is wrong"],
  ]);
}
