import type { RunAnswer } from "../client/answers.js";
import type { Envelope } from "../log/events.js";
import { fold, type PendingCall, type RunState } from "../log/fold.js";
import { printable } from "./printable.js";

/** What a run waits for, in a sentence, and what to type next. */
export interface Waiting {
  readonly sentence: string;
  readonly next: string;
}

/**
 * Says what a run waits for. The log decides; whether a driver is attached and what was refused comes from `run`, which was
 * read just before.
 */
export function waitingWords(run: RunAnswer, log: readonly Envelope[], flags: string): Waiting {
  const state = fold(log);
  const id = run.run;
  const attached = run.driver === "attached";
  const again = `salvor history ${id}${flags}`;
  const resolve = `salvor resolve ${id} --output JSON${flags}, or with --not-performed`;
  switch (state.status.state) {
    case "completed":
    case "failed":
    case "abandoned":
      return { sentence: `The run is ${state.status.state}: nothing follows.`, next: `salvor list${flags}` };
    case "suspended":
      return {
        sentence: `The run waits for an answer: ${printable(state.status.reason)}`,
        next: `salvor resume ${id} --input JSON${flags}, or salvor abandon ${id}${flags}`,
      };
    case "budget_exceeded":
      return {
        sentence: "The run waits for a larger budget.",
        next: `salvor resume ${id} --extend KIND=N${flags}, or salvor abandon ${id}${flags}`,
      };
    case "not_started":
    case "running":
      return attached
        ? { sentence: "The run goes on: its driver is attached.", next: again }
        : { sentence: "No driver is attached; the run goes on when its client opens it again.", next: again };
    case "awaiting_model":
      return { sentence: `The run waits for a model's answer${byDriver(attached)}.`, next: again };
    case "awaiting_tool":
    case "needs_reconciliation":
      return callWords(state, attached, isRefused(run, state.pending), { again, resolve });
  }
}

function callWords(
  { pending }: RunState,
  attached: boolean,
  refused: boolean,
  { again, resolve }: { readonly again: string; readonly resolve: string },
): Waiting {
  if (pending?.kind !== "tool") return { sentence: "A call is open.", next: again };
  const call = `${printable(pending.tool)} #${pending.seq}`;
  if (refused)
    return {
      sentence: `A report on ${call} was refused: its driver may correct it, or a person settles the call.`,
      next: resolve,
    };
  if (attached)
    return { sentence: `The run waits for its driver, which is attached, to report ${call}.`, next: again };
  return pending.effect === "write"
    ? {
        sentence: `${call} may or may not have happened, and no driver is attached: look it up${keyWords(pending)}, then settle it.`,
        next: resolve,
      }
    : { sentence: `The run waits for its driver to come back and perform ${call} again.`, next: again };
}

function keyWords({ idempotency_key: key }: Extract<PendingCall, { kind: "tool" }>): string {
  return key === null ? "" : ` by its key ${printable(key)}`;
}

function isRefused(run: RunAnswer, pending: PendingCall | null): boolean {
  return run.refused_reports?.some((report) => report.seq === pending?.seq) === true;
}

function byDriver(attached: boolean): string {
  return attached ? ", which its driver is getting" : "; no driver is attached";
}
