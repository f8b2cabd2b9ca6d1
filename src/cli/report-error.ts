import { CommanderError } from "commander";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import { err } from "./terminal.js";

/** Says on standard error what went wrong and what to type next; answers what to exit with. */
export function reportError(error: unknown): ExitCode {
  // Commander has printed its own message, and the command to type next, by now.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CliError) {
    err.line(`${err.paint("red", "salvor:")} ${error.message}`);
    err.line(`Next: ${error.next}`);
    return error.exitCode;
  }
  err.line(`${err.paint("red", "salvor:")} an error that nobody foresaw; please report it with these lines:`);
  err.line(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}
