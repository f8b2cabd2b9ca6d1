import type { AbandonAnswer, RunAnswer } from "../client/answers.js";
import { holds } from "../log/events.js";
import { fold, isParked, isTerminal } from "../log/fold.js";
import type { AbandonOptions } from "./commands/abandon.js";
import { confirm, requireConsent } from "./ask.js";
import { CliError, EXIT, type ExitCode } from "./cli-error.js";
import { showCall } from "./pending-call.js";
import { printable } from "./printable.js";
import { connect, mayHaveHappened, type Remote } from "./remote.js";
import { err, out, printJson } from "./terminal.js";

/** Ends a run for good, as it was shown: if something else is open by then, nothing is recorded. */
export async function runAbandon(id: string, options: AbandonOptions): Promise<ExitCode> {
  requireConsent(options.yes === true, "abandon");
  const remote = connect(options);
  const run = await remote.ask((client) => client.run(id), id);
  if (isTerminal(run.status))
    throw new CliError(`run ${id} is ${run.status.state} already: there is nothing to abandon`, {
      next: `salvor history ${id}${remote.flags}`,
    });
  if (options.json !== true || options.yes !== true) show(run);
  if (options.yes !== true && !(await confirm("Abandon this run? It cannot be taken back.")))
    throw new CliError("nothing was recorded", { next: `salvor history ${id}${remote.flags}` });

  const answer = await end(remote, run, options.reason);
  if (options.json === true) printJson(answer);
  else {
    out.line(`Abandoned run ${id} at #${answer.appended_seq}.`);
    out.line(`Next: salvor history ${id}${remote.flags}`);
  }
  return EXIT.ok;
}

function show(run: RunAnswer): void {
  if (run.pending?.kind !== "tool") {
    err.line(`run ${run.run} is ${run.status.state}, ${run.event_count} events`);
    return;
  }
  showCall(err, run, run.pending);
  if (run.pending.effect === "write")
    err.line(
      `${printable(run.pending.tool)} is a write that may have happened; it will be recorded as unresolved.`,
    );
}

/** Sends the decision once. When its answer is lost, the log decides what became of it. */
async function end(remote: Remote, run: RunAnswer, reason: string | undefined): Promise<AbandonAnswer> {
  const seq = judgedSeq(run);
  try {
    return await remote.client.abandon(run.run, {
      ...(seq !== undefined && { seq }),
      ...(reason !== undefined && { reason }),
    });
  } catch (error) {
    if (!mayHaveHappened(error)) throw remote.explain(error, run.run);
    return await lookAgain(remote, run.run, error);
  }
}

/** What was looked at: the open intent, or the event that parked the run, which is its last. */
function judgedSeq({ pending, status, event_count: count }: RunAnswer): number | undefined {
  if (pending !== null) return pending.seq;
  return isParked(status) ? count - 1 : undefined;
}

async function lookAgain(remote: Remote, id: string, lost: unknown): Promise<AbandonAnswer> {
  const log = await remote.client.log(id).catch((cause: unknown) => {
    throw new CliError(
      `it is not known whether run ${id} was abandoned: the answer was lost, and the run cannot be read now`,
      { next: `salvor history ${id}${remote.flags}, before you decide again`, cause },
    );
  });
  const last = log.at(-1);
  if (!holds(last, "RunAbandoned"))
    throw new CliError(`run ${id} is not abandoned: the server gave no answer, and its log goes on`, {
      next: `salvor history ${id}${remote.flags}, then the same command`,
      cause: lost,
    });
  err.line("The answer was lost; the log holds this decision.");
  return { run: id, abandoned: true, appended_seq: last.seq, status: fold(log).status };
}
