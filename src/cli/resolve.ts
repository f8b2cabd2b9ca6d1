import type { Resolution, ResolveAnswer } from "../client/answers.js";
import type { JsonValue } from "../contract/json.js";
import { isFailureOutput } from "../contract/reserved.js";
import { holds } from "../log/events.js";
import { fold } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import { confirm, requireConsent } from "./ask.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import type { ResolveOptions } from "./commands/resolve.js";
import { readJsonArgument } from "./json-argument.js";
import { pendingToolCall, prettyJson, showCall, type PendingToolCall } from "./pending-call.js";
import { printable } from "./printable.js";
import { connect, mayHaveHappened, type Remote } from "./remote.js";
import { sameCommand } from "./shell-word.js";
import { err, out, printJson } from "./terminal.js";

/** What a person says became of a call. */
type Verdict = { readonly output: JsonValue } | { readonly not_performed: true };

/** Settles the open call of a run, and no other call than the one that was shown. */
export async function runResolve(id: string, options: ResolveOptions): Promise<ExitCode> {
  checkUsage(id, options);
  const verdict: Verdict =
    options.output === undefined
      ? { not_performed: true }
      : { output: await readJsonArgument("--output", options.output) };
  const remote = connect(options);
  const run = await remote.ask((client) => client.run(id), id);
  const call = pendingToolCall(run, remote.flags);
  if (options.json !== true || options.yes !== true) {
    showCall(err, run, call);
    err.line(`${err.paint("bold", "verdict")} ${verdictWords(verdict, options)}`);
  }
  if (options.yes !== true && !(await confirm("Record this? It cannot be taken back.")))
    throw new CliError("nothing was recorded", { next: `salvor history ${id}${remote.flags}` });

  const answer = await settle(remote, id, call, verdict, resolutionOf(call, verdict, options));
  if (options.json === true) printJson(answer);
  else {
    out.line(
      `Settled ${printable(call.tool)} #${call.seq} of run ${id}: the run is ${answer.status?.state ?? "going on"}.`,
    );
    out.line(`Next: salvor history ${id}${remote.flags}`);
  }
  return EXIT.ok;
}

/** @throws {@link CliError} (usage) for options that do not go together, before anything is read or asked. */
function checkUsage(id: string, { output, notPerformed, override, note, yes }: ResolveOptions): void {
  const usage = (message: string, next: string) => new CliError(message, { next, exitCode: EXIT.usage });
  if ((output === undefined) === (notPerformed === undefined))
    throw usage(
      "say what became of the call: either --output JSON (it happened) or --not-performed (it did not)",
      `salvor history ${id}, and look the key up where the effect would show`,
    );
  if (override === true && (note === undefined || note.trim() === ""))
    throw usage("--override needs --note TEXT that says why", sameCommand("--note TEXT"));
  if (override === true && notPerformed === true)
    throw usage(
      "--override sets the rules for an output aside; --not-performed has none",
      "leave one of them out",
    );
  if (output === "-" && yes !== true)
    throw usage(
      "--output - reads standard input to its end, so nobody can be asked there",
      sameCommand("--yes"),
    );
  requireConsent(yes === true, "resolve");
}

function resolutionOf(
  { seq }: PendingToolCall,
  verdict: Verdict,
  { note, operator, override }: ResolveOptions,
): Resolution {
  const who = { seq, ...(operator !== undefined && { operator }) };
  if (override === true && "output" in verdict) return { ...who, ...verdict, override, note: note ?? "" };
  return { ...who, ...verdict, ...(note !== undefined && { note }) };
}

function verdictWords(verdict: Verdict, { override }: ResolveOptions): string {
  if (!("output" in verdict)) return "it was not performed";
  return `${prettyJson(verdict.output)}${override === true ? "\n        (schema and pinned fields are set aside)" : ""}`;
}

/** Sends the decision once. When its answer is lost, the log decides what became of it. */
async function settle(
  remote: Remote,
  id: string,
  call: PendingToolCall,
  verdict: Verdict,
  resolution: Resolution,
): Promise<ResolveAnswer> {
  try {
    return await remote.client.resolve(id, resolution);
  } catch (error) {
    if (!mayHaveHappened(error)) throw remote.explain(error, id);
    return await lookAgain(remote, id, call, verdict, error);
  }
}

async function lookAgain(
  remote: Remote,
  id: string,
  call: PendingToolCall,
  verdict: Verdict,
  lost: unknown,
): Promise<ResolveAnswer> {
  const why = remote.explain(lost, id);
  const reason = why instanceof Error ? why.message : String(why);
  const log = await remote.client.log(id).catch((cause: unknown) => {
    throw new CliError(
      `it is not known whether the decision was recorded: its answer was lost, and run ${id} cannot be read now (${reason})`,
      { next: `salvor history ${id}${remote.flags}, before you decide again`, cause },
    );
  });
  const found = log.find((one) => holds(one, "ToolCallCompleted") && one.event.payload.seq === call.seq);
  if (!holds(found, "ToolCallCompleted"))
    throw new CliError(
      `the decision is not recorded: call #${call.seq} of run ${id} has no answer yet (${reason})`,
      {
        next: `salvor history ${id}${remote.flags}, then the same command`,
        cause: lost,
      },
    );
  if (!isVerdict(found.event.payload.output, verdict))
    throw new CliError(`call #${call.seq} of run ${id} was settled otherwise, by somebody else`, {
      next: `salvor history ${id}${remote.flags}`,
      cause: lost,
    });
  err.line("The answer was lost; the log holds this decision.");
  return { run: id, resolved: true, status: fold(log).status };
}

/** Whether a recorded output is what was decided. A call that was not performed is a failure after no attempt. */
function isVerdict(recorded: JsonValue, verdict: Verdict): boolean {
  return "output" in verdict
    ? jsonEqual(recorded, verdict.output)
    : isFailureOutput(recorded) && recorded.__salvor_error.attempts === 0;
}
