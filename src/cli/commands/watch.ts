import { Command } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parsePosition, parseRunArgument } from "../option-parsers.js";

export interface WatchOptions extends RemoteOptions {
  readonly from?: number;
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

/** `salvor watch`: a run as it goes on. */
export function watchCommand(): Command {
  const command = new Command("watch")
    .description("Follow a run: tell each event once it is recorded, until the run is over or Ctrl-C.")
    .argument("<RUN>", "the id of the run", parseRunArgument)
    .option("--from <SEQ>", "the first position to tell; 0 unless given", parsePosition);
  withServerOptions(command)
    .option("--json", "print each envelope as a line of JSON")
    .action(async (run: string, options: WatchOptions) => {
      const { runWatch } = await import("../watch.js");
      process.exitCode = await runWatch(run, options);
    });
  return withExamples(
    command,
    [
      [`salvor watch ${RUN}`, "what happened, and what happens"],
      [`salvor watch ${RUN} --from 120`, "from an event on"],
      [`salvor watch ${RUN} --json | jq .event.kind`, "for a script"],
    ],
    "A server that goes away is looked for again, and the story goes on behind the last event that was told.",
  );
}
