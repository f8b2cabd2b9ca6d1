import { Command } from "commander";
import { withExamples, withServerOptions, type RemoteOptions } from "../help.js";
import { parseRunArgument } from "../option-parsers.js";

export interface ResolveOptions extends RemoteOptions {
  readonly output?: string;
  readonly notPerformed?: true;
  readonly note?: string;
  readonly operator?: string;
  readonly override?: true;
  readonly yes?: true;
  readonly json?: true;
}

const RUN = "00000000-0000-4000-8000-000000000001";

const NOTES = `The run is read first, and only the call that was read is settled: if another one is open by then, nothing is written.
If the answer of the server is lost, the run is read again and what its log says is reported.`;

/** `salvor resolve`: a person settles an open call. */
export function resolveCommand(): Command {
  const command = new Command("resolve")
    .description("Settle the open call of a run: say what it did, or that it did not happen.")
    .argument("<RUN>", "the id of the run", parseRunArgument)
    .option("--output <JSON>", "what the call answered: JSON, @FILE, or - for standard input")
    .option("--not-performed", "the call did not happen; it may be asked for again")
    .option("--note <TEXT>", "why, kept in the log")
    .option("--operator <NAME>", "who decided, kept in the log")
    .option("--override", "set schema and pinned fields aside; needs --note and an operator token")
    .option("--yes", "do not ask first; required where no terminal is");
  withServerOptions(command)
    .option("--json", "print the server's answer as JSON")
    .action(async (run: string, options: ResolveOptions) => {
      const { runResolve } = await import("../resolve.js");
      process.exitCode = await runResolve(run, options);
    });
  return withExamples(
    command,
    [
      [
        `salvor resolve ${RUN} --output '{"refund_id":"re_17","amount_cents":500}'`,
        "it happened: record what the provider answered",
      ],
      [`salvor resolve ${RUN} --not-performed --note 'not in the ledger'`, "it did not happen"],
      [
        `salvor resolve ${RUN} --output @receipt.json --operator ada --operator-token OPERATOR_TOKEN --yes`,
        "from a script, to a server with an operator token",
      ],
    ],
    NOTES,
  );
}
