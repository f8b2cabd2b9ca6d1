import { Command } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { collectExtension, parseRunArgument } from "../option-parsers.js";

export interface ResumeOptions extends RemoteOptions {
  readonly input?: string;
  readonly extend?: Readonly<Record<string, number>>;
  readonly yes?: true;
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

const NOTES = `The run is read first, and only the question that was shown is answered: if the run waits for another one by then, nothing
is written. A write that may have happened is no question: see "salvor help resolve".`;

/** `salvor resume`: a person answers a run that is suspended or over its budget. */
export function resumeCommand(): Command {
  const command = new Command("resume")
    .description("Answer a run that waits: give what it is suspended for, or extend its budget.")
    .argument("<RUN>", "the id of the run", parseRunArgument)
    .option("--input <JSON>", "the answer: JSON, @FILE, or - for standard input")
    .option(
      "--extend <KIND=N>",
      "more of a budget: steps, tokens, cost_usd or wall_time_seconds; may be repeated",
      collectExtension,
    )
    .option("--yes", "do not ask first; required where no terminal is");
  withServerOptions(command)
    .option("--json", "print the server's answer as JSON")
    .action(async (run: string, options: ResumeOptions) => {
      const { runResume } = await import("../resume.js");
      process.exitCode = await runResume(run, options);
    });
  return withExamples(
    command,
    [
      [`salvor resume ${RUN} --input '{"approved":true}'`, "answers a suspended run, asking first"],
      [
        `salvor resume ${RUN} --extend steps=20 --extend tokens=50000`,
        "lets a run go on that is over its budget",
      ],
      [`salvor resume ${RUN} --input @answer.json --operator-token OPERATOR_TOKEN --yes`, "from a script"],
    ],
    NOTES,
  );
}
