import { Command } from "commander";
import { withDataOption, withExamples } from "../help.js";

export interface VerifyOptions {
  readonly data: string;
  readonly json?: true;
}

const NOTES = `Only reads, so it may run beside a server. Exit 0 when everything holds, 1 when something does not: each is named with its
file, and with run and position where they can be told.`;

/** `salvor verify`: whether every file and every hash chain is what was written. */
export function verifyCommand(): Command {
  const command = new Command("verify").description(
    "Check every file and every hash chain of a data folder.",
  );
  withDataOption(command)
    .option("--json", 'print {"ok", "runs", "events", "torn_bytes", "findings"} as JSON')
    .action(async (options: VerifyOptions) => {
      const { runVerify } = await import("../verify.js");
      process.exitCode = await runVerify(options);
    });
  return withExamples(
    command,
    [
      ["salvor verify", "the folder ./salvor-data"],
      ["salvor verify --data /var/lib/salvor --json", "for a script"],
    ],
    NOTES,
  );
}
