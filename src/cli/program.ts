import { Command } from "commander";
import { abandonCommand } from "./commands/abandon.js";
import { backupCommand } from "./commands/backup.js";
import { checkCommand } from "./commands/check.js";
import { completionCommand } from "./commands/completion.js";
import { declareCommand } from "./commands/declare.js";
import { doctorCommand } from "./commands/doctor.js";
import { eraseCommand } from "./commands/erase.js";
import { exportCommand } from "./commands/export.js";
import { historyCommand } from "./commands/history.js";
import { importCommand } from "./commands/import.js";
import { listCommand } from "./commands/list.js";
import { mcpCommand } from "./commands/mcp.js";
import { replayCommand } from "./commands/replay.js";
import { resolveCommand } from "./commands/resolve.js";
import { resumeCommand } from "./commands/resume.js";
import { schemasCommand } from "./commands/schemas.js";
import { serveCommand } from "./commands/serve.js";
import { verifyCommand } from "./commands/verify.js";
import { watchCommand } from "./commands/watch.js";
import { waitingCommand } from "./commands/waiting.js";
import { reportError } from "./report-error.js";
import { err } from "./terminal.js";
import { VERSION } from "../version.js";

const START = `
Start here:
  $ salvor serve --client-tool refund-card.toml
      serve the tools that a file declares
  $ salvor list --group waiting
      see which calls need a person
  $ salvor help resolve
      read about one command

Exit codes: 0 done, 1 refused or failed, 2 called wrongly, 3 somebody waits (salvor waiting). Colours go away with NO_COLOR=1 or in a pipe.`;

/** The command line of `salvor`: every verb with its options. What a verb does is loaded when it runs. */
export function salvorProgram(): Command {
  const program = new Command("salvor")
    .description(
      "Record every tool call, so that a side effect never happens twice and never goes unnoticed.",
    )
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .addHelpText("after", START)
    .showHelpAfterError("Next: salvor --help")
    .configureOutput({ outputError })
    // Behind a program's name, options are that program's: salvor mcp inspect.
    .enablePositionalOptions()
    .exitOverride();
  const verbs = [
    serveCommand(),
    mcpCommand(),
    checkCommand(),
    schemasCommand(),
    declareCommand(),
    listCommand(),
    historyCommand(),
    watchCommand(),
    replayCommand(),
    waitingCommand(),
    resolveCommand(),
    resumeCommand(),
    abandonCommand(),
    doctorCommand(),
    verifyCommand(),
    backupCommand(),
    exportCommand(),
    importCommand(),
    eraseCommand(),
    completionCommand(),
  ];
  for (const verb of verbs) program.addCommand(alike(verb));
  return program;
}

/** A verb, and the verbs below it, that end and speak as the whole program does. */
function alike(verb: Command): Command {
  verb.commands.forEach(alike);
  return verb.exitOverride().configureOutput({ outputError }).helpOption("-h, --help", "show this help");
}

/** Commander's own errors begin as ours do. */
function outputError(message: string, write: (text: string) => void): void {
  write(message.replace(/^error: /, `${err.paint("red", "salvor:")} `));
}

/** Runs one command line and leaves what to exit with in `process.exitCode`. Never throws for what a person typed. */
export async function runCli(args: readonly string[]): Promise<void> {
  try {
    await salvorProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = reportError(error);
  }
}
