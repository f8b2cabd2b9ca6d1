import type { RefusedReportAnswer, RunAnswer } from "../client/answers.js";
import type { PendingCall } from "../log/fold.js";
import { CliError } from "./cli-error.js";
import { printable } from "./printable.js";
import type { Output } from "./terminal.js";

export type PendingToolCall = Extract<PendingCall, { kind: "tool" }>;

/**
 * The open tool call of a run.
 *
 * @throws {@link CliError} when there is none to settle.
 */
export function pendingToolCall(run: RunAnswer, flags: string): PendingToolCall {
  if (run.pending?.kind === "tool") return run.pending;
  const what =
    run.pending === null ? "no call of it is open" : "its open call is a model's, which nobody settles";
  throw new CliError(`run ${run.run} is ${run.status.state}: ${what}`, {
    next: `salvor history ${run.run}${flags}`,
  });
}

/**
 * Shows a call to the person who decides about it: everything that they decide by, whole, with nothing that could repaint
 * their screen.
 */
export function showCall(output: Output, run: RunAnswer, call: PendingToolCall): void {
  const name = (text: string) => output.paint("bold", text);
  output.line(`${name("run")}     ${run.run}`);
  output.line(`${name("call")}    #${call.seq}`);
  output.line(`${name("tool")}    ${printable(call.tool)} (${call.effect})`);
  output.line(
    `${name("key")}     ${call.idempotency_key === null ? "none" : printable(call.idempotency_key)}`,
  );
  output.line(`${name("input")}   ${prettyJson(call.input)}`);
  output.line(`${name("driver")}  ${driverWords(run)}`);
  for (const report of run.refused_reports ?? [])
    if (report.seq === call.seq) output.line(`${name("refused")} ${refusedWords(report)}`);
}

/** JSON over several lines, each of them safe to print, the further ones indented below the first. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split("\n").map(printable).join("\n        ");
}

function driverWords(run: RunAnswer): string {
  return run.driver === "attached"
    ? "attached: it may still report by itself"
    : "not attached: nobody is known to be working on it";
}

function refusedWords({ time, code, message, output, error, suspend, omitted }: RefusedReportAnswer): string {
  const said =
    omitted === undefined
      ? printable(JSON.stringify(output ?? error ?? suspend ?? null))
      : `a report of ${omitted.bytes} bytes, too large to keep (${printable(omitted.hash)})`;
  return `${printable(time)} ${said} (${printable(code)}: ${printable(message)})`;
}
