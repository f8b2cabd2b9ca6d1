import { Command, Option } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseDuration } from "../option-parsers.js";

export interface WaitingOptions extends RemoteOptions {
  /** In milliseconds. */
  readonly olderThan: number;
  readonly json?: true;
}

/** `salvor waiting`: whether anything waits for a person, as an exit code. */
export function waitingCommand(): Command {
  const command = new Command("waiting")
    .description("Say whether runs wait for a person: exit 0 when none does, 3 when some do.")
    .addOption(
      new Option("--older-than <TIME>", "only waits of at least this long: 90s, 10m, 2h, 1d")
        .argParser(parseDuration)
        .default(0, "any"),
    );
  withServerOptions(command)
    .option("--json", 'print {"waiting": [...]}, oldest first')
    .action(async (options: WaitingOptions) => {
      const { runWaiting } = await import("../waiting.js");
      process.exitCode = await runWaiting(options);
    });
  return withExamples(
    command,
    [
      ["salvor waiting", "what needs a person right now"],
      ["salvor waiting --older-than 10m", "for monitoring: exit 3 when somebody should be told"],
      ["salvor waiting --older-than 1h --json --auth-token CLIENT_TOKEN", "for a script"],
    ],
    "A wait begins with the last event of its run. Exit 1 says that the server could not be asked, 2 that it was asked wrongly.",
  );
}
