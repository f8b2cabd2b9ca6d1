import type { ResumeAnswer, RunAnswer } from "../client/answers.js";
import type { JsonValue } from "../contract/json.js";
import { holds } from "../log/events.js";
import { fold, isParked } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import { confirm, requireConsent } from "./ask.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ResumeOptions } from "./commands/resume.js";
import { readJsonArgument } from "./json-argument.js";
import { prettyJson } from "./pending-call.js";
import { printable } from "./printable.js";
import { connect, mayHaveHappened, type Remote } from "./remote.js";
import { sameCommand } from "./shell-word.js";
import { err, out, printJson } from "./terminal.js";

/** Answers what a run waits for, and nothing else than what was shown. */
export async function runResume(id: string, options: ResumeOptions): Promise<ExitCode> {
  checkUsage(id, options);
  const input: JsonValue =
    options.input === undefined
      ? { extend: { ...options.extend } }
      : await readJsonArgument("--input", options.input);
  const remote = connect(options);
  const run = await remote.ask((client) => client.run(id), id);
  checkWaits(run, options, remote.flags);
  if (options.json !== true || options.yes !== true) show(run, input);
  if (options.yes !== true && !(await confirm("Record this answer? It cannot be taken back.")))
    throw new CliError("nothing was recorded", { next: `salvor history ${id}${remote.flags}` });

  const answer = await send(remote, run, input);
  if (options.json === true) printJson(answer);
  else {
    out.line(`Answered run ${id}: it is ${answer.status.state}. Its driver goes on when it next asks.`);
    out.line(`Next: salvor watch ${id}${remote.flags}`);
  }
  return EXIT.ok;
}

/** @throws {@link CliError} (usage) for options that do not go together, before anything is read or asked. */
function checkUsage(id: string, { input, extend, yes }: ResumeOptions): void {
  if ((input === undefined) === (extend === undefined))
    throw new CliError("say what the answer is: either --input JSON or --extend KIND=N", {
      next: `salvor history ${id}, which tells what the run waits for`,
      exitCode: EXIT.usage,
    });
  if (input === "-" && yes !== true)
    throw new CliError("--input - reads standard input to its end, so nobody can be asked there", {
      next: sameCommand("--yes"),
      exitCode: EXIT.usage,
    });
  requireConsent(yes === true, "resume");
}

/** @throws {@link CliError} for a run that waits for nothing that this answers. */
function checkWaits({ run, status }: RunAnswer, { extend }: ResumeOptions, flags: string): void {
  if (!isParked(status))
    throw new CliError(`run ${run} is ${status.state}: it does not wait for an answer`, {
      next: `salvor history ${run}${flags}`,
    });
  if (status.state === "suspended" && extend !== undefined)
    throw new CliError(`run ${run} is suspended, not over its budget: --extend answers nothing`, {
      next: `salvor resume ${run} --input JSON${flags}`,
    });
}

function show({ run, status }: RunAnswer, input: JsonValue): void {
  const name = (text: string) => err.paint("bold", text);
  err.line(`${name("run")}     ${run}`);
  if (status.state === "suspended") {
    err.line(`${name("asks")}    ${printable(status.reason)}`);
    err.line(`${name("schema")}  ${prettyJson(status.input_schema)}`);
  } else if (status.state === "budget_exceeded") {
    const { budget, observed } = status;
    err.line(`${name("budget")}  ${observed} of ${budget.limit} ${printable(budget.kind)}`);
  }
  err.line(`${name("answer")}  ${prettyJson(input)}`);
}

/** Sends the answer once. When the server's word is lost, the log decides what became of it. */
async function send(remote: Remote, run: RunAnswer, input: JsonValue): Promise<ResumeAnswer> {
  // What parked a run is its last event.
  const seq = run.event_count - 1;
  try {
    return await remote.client.resume(run.run, { seq, input });
  } catch (error) {
    if (!mayHaveHappened(error)) throw remote.explain(error, run.run);
    return await lookAgain(remote, run.run, seq + 1, input, error);
  }
}

async function lookAgain(
  remote: Remote,
  id: string,
  seq: number,
  input: JsonValue,
  lost: unknown,
): Promise<ResumeAnswer> {
  const history = `salvor history ${id}${remote.flags}`;
  const log = await remote.client.log(id).catch((cause: unknown) => {
    throw new CliError(
      `it is not known whether the answer was recorded: the server's word was lost, and run ${id} cannot be read now`,
      { next: `${history}, before you answer again`, cause },
    );
  });
  const found = log[seq];
  if (!holds(found, "Resumed"))
    throw new CliError(`the answer is not recorded: run ${id} still waits`, {
      next: `${history}, then the same command`,
      cause: lost,
    });
  if (!jsonEqual(found.event.payload.input, input))
    throw new CliError(`run ${id} was answered otherwise, by somebody else`, { next: history, cause: lost });
  err.line("The server's word was lost; the log holds this answer.");
  return { run: id, outcome: "resumed", status: fold(log).status };
}
