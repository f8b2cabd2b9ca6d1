import { Command, Option } from "commander";
import { withExamples, withStoreOptions } from "../help.js";
import { parseRunArgument, parseServerUrl, parseVariableName } from "../option-parsers.js";

export interface ExportOptions {
  readonly data?: string;
  readonly store?: string;
  readonly storeEnv?: string;
  readonly url?: string;
  readonly authToken?: string;
  readonly operatorToken?: string;
}

const RUN = "00000000-0000-4000-8000-000000000001";

const NOTES = `It only reads, so a server may go on working. How many events there are, and the hash of the last one,
are said on standard error: "salvor import" says the same when nothing was changed on the way.`;

/** `salvor export`: the envelopes of a run. */
export function exportCommand(): Command {
  const command = new Command("export")
    .description("Print the events of a run as JSON lines, one envelope a line, every hash checked.")
    .argument("<RUN>", "the id of the run", parseRunArgument)
    .option("--data <DIR>", "the folder that holds the log; ./salvor-data unless a server is named")
    .addOption(
      new Option("--url <URL>", "the server to read from, instead of a folder")
        .env("SALVOR_URL")
        .argParser(parseServerUrl),
    )
    .option("--auth-token <VAR>", "environment variable that holds the client token", parseVariableName)
    .option("--operator-token <VAR>", "environment variable that holds the operator token", parseVariableName)
    .action(async (run: string, options: ExportOptions) => {
      const { runExport } = await import("../export.js");
      process.exitCode = await runExport(run, options);
    });
  return withExamples(
    withStoreOptions(command),
    [
      [`salvor export ${RUN} > run.jsonl`, "from the folder ./salvor-data"],
      [`salvor export ${RUN} --url http://127.0.0.1:8080 > run.jsonl`, "from a server"],
      [`salvor export ${RUN} --store-env SALVOR_STORE > run.jsonl`, "from a database"],
    ],
    NOTES,
  );
}
