import { Command } from "commander";
import { withExamples, withPlaceOptions, type PlaceOptions } from "../help.js";

export interface VerifyOptions extends PlaceOptions {
  readonly json?: true;
}

const NOTES = `It may run beside servers. Exit 0 when everything holds, 1 when something does not: each is named with its file or table, and
with run and position where they can be told. A folder is only read; in a database, a run that does not hold is marked, so that no
server adds to it.`;

/** `salvor verify`: whether every file and every hash chain is what was written. */
export function verifyCommand(): Command {
  const command = new Command("verify").description(
    "Check every hash chain of a data folder or a database, and every file of a folder.",
  );
  withPlaceOptions(command)
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
      ["salvor verify --store-env SALVOR_STORE", "the database that this variable names"],
    ],
    NOTES,
  );
}
