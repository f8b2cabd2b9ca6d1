import { Command } from "commander";
import { withExamples, withPlaceOptions, type PlaceOptions } from "../help.js";

export interface ImportOptions extends PlaceOptions {
  readonly json?: true;
}

const NOTES = `No server may use the folder meanwhile; a database may be in use. Each run is taken as a whole or not at all: every event passes the guard as it did when it
was recorded first, a run id that is there already is refused (run_exists), and calls hold their idempotency keys again, so
that nothing is performed twice. Exit 1 when any run was refused; the others are imported.`;

/** `salvor import`: runs that were exported, into a data folder. */
export function importCommand(): Command {
  const command = new Command("import")
    .description("Take runs into a data folder or a database that were exported from another one.")
    .argument("<FILE...>", 'files of "salvor export", or - for standard input');
  withPlaceOptions(command, "the folder to import into; made when missing")
    .option("--json", 'print {"ok", "imported", "refused"} as JSON')
    .action(async (files: string[], options: ImportOptions) => {
      const { runImport } = await import("../import.js");
      process.exitCode = await runImport(files, options);
    });
  return withExamples(
    command,
    [
      ["salvor import run.jsonl", "into the folder ./salvor-data"],
      ["salvor import exported/*.jsonl --data /var/lib/salvor --json", "many, for a script"],
      ["salvor import exported/*.jsonl --store-env SALVOR_STORE", "into a database"],
    ],
    NOTES,
  );
}
