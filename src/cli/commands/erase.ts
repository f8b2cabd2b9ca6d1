import { Command } from "commander";
import { withExamples, withPlaceOptions, type PlaceOptions } from "../help.js";
import { parseRunArgument } from "../option-parsers.js";

export interface EraseOptions extends PlaceOptions {
  readonly yes?: true;
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

const NOTES = `Only a run that has ended can be erased, and no server may use the folder meanwhile; a database may be in use. What stays is the id, the hashes of the
events, and the idempotency keys that its calls hold: what was paid is not paid again. Copies in backups are yours to remove.`;

/** `salvor erase`: the content of a run is removed for good. */
export function eraseCommand(): Command {
  const command = new Command("erase")
    .description("Remove the content of a run that has ended, for good.")
    .argument("<RUN>", "the id of the run", parseRunArgument);
  withPlaceOptions(command)
    .option("--yes", "do not ask first; required where no terminal is")
    .option("--json", 'print {"run", "erased", "events"} as JSON')
    .action(async (run: string, options: EraseOptions) => {
      const { runErase } = await import("../erase.js");
      process.exitCode = await runErase(run, options);
    });
  return withExamples(
    command,
    [
      [`salvor erase ${RUN}`, "asks before it erases"],
      [`salvor erase ${RUN} --data /var/lib/salvor --yes`, "from a script"],
      [`salvor erase ${RUN} --store-env SALVOR_STORE`, "in a database"],
    ],
    NOTES,
  );
}
