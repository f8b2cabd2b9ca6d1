import { Option, type Command } from "commander";
import { collecting, parseServerUrl, parseVariableName } from "./option-parsers.js";

/** Where a server is when nobody says otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8080";

/** Where logs lie when nobody says otherwise. */
export const DEFAULT_DATA = "./salvor-data";

/** A line to type, and what it does. */
export type Example = readonly [command: string, what: string];

/** Adds the examples to a verb's help, and the way to that help to its usage errors. */
export function withExamples(command: Command, examples: readonly Example[], more = ""): Command {
  const lines = examples.flatMap(([line, what]) => [`  $ ${line}`, `      ${what}`]);
  const after = ["", "Examples:", ...lines, ...(more === "" ? [] : ["", more])];
  return command
    .addHelpText("after", after.join("\n"))
    .showHelpAfterError(`Next: salvor ${command.name()} --help`);
}

/** Options that every verb takes that speaks to a server. */
export interface RemoteOptions {
  readonly url: string;
  readonly authToken?: string;
  readonly operatorToken?: string;
}

/** Adds the options of {@link RemoteOptions}. */
export function withServerOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--url <URL>", "the server to speak to")
        .env("SALVOR_URL")
        .default(DEFAULT_URL)
        .argParser(parseServerUrl),
    )
    .option("--auth-token <VAR>", "environment variable that holds the client token", parseVariableName)
    .option(
      "--operator-token <VAR>",
      "environment variable that holds the operator token, which decides",
      parseVariableName,
    );
}

/** Adds `--data`, for a verb that works on a folder and speaks to no server. */
export function withDataOption(command: Command, what = "the folder that holds the logs"): Command {
  return command.option("--data <DIR>", what, DEFAULT_DATA);
}

/** Where logs are: in a folder, or in a database. */
export interface PlaceOptions {
  readonly data: string;
  /** The URL of a database; it may hold a password. */
  readonly store?: string;
  readonly storeEnv?: string;
}

/** Adds the options of {@link PlaceOptions}. */
export function withPlaceOptions(command: Command, what?: string): Command {
  return withStoreOptions(withDataOption(command, what));
}

/** Adds what names a database instead of a folder. */
export function withStoreOptions(command: Command, others: readonly string[] = ["data"]): Command {
  return command
    .addOption(
      new Option("--store <URL>", "a PostgreSQL database that holds the logs, instead of a folder").conflicts(
        [...others, "storeEnv"],
      ),
    )
    .addOption(
      new Option("--store-env <VAR>", "environment variable that holds that URL, which may hold a password")
        .conflicts([...others, "store"])
        .argParser(parseVariableName),
    );
}

/** An option that may be given many times, its values kept as they are. */
export const repeatable = collecting((text: string) => text);
