import type { RefusedReportAnswer, RunAnswer } from "../client/answers.js";
import type { JsonValue } from "../contract/json.js";
import { envelopeJson } from "../log/envelope-json.js";
import type { Envelope } from "../log/events.js";
import { fold } from "../log/fold.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { HistoryOptions } from "./commands/history.js";
import { eventLine, toolIntentsOf } from "./event-words.js";
import { printable, printableJson } from "./printable.js";
import { connect } from "./remote.js";
import { out } from "./terminal.js";
import { waitingWords } from "./waiting-words.js";

/** How much of a refused report a line shows. */
const SHOWN = 160;

/** Prints what happened in a run. */
export async function runHistory(id: string, options: HistoryOptions): Promise<ExitCode> {
  const remote = connect(options);
  const run = await remote.ask((client) => client.run(id), id);
  // Read after the run, so the log is never behind what the run says.
  const log = await remote.ask((client) => client.log(id), id);
  if (options.json === true) printAsJson(run, log);
  else printStory(run, log, remote.flags);
  return EXIT.ok;
}

function printAsJson(run: RunAnswer, log: readonly Envelope[]): void {
  // Written by hand because an envelope may hold an integer that JSON.stringify cannot write.
  out.line(`{"run":${JSON.stringify(run)},"log":[\n${log.map(envelopeJson).join(",\n")}\n]}`);
}

function printStory(run: RunAnswer, log: readonly Envelope[], flags: string): void {
  const { status } = fold(log);
  out.line(out.paint("bold", `Run ${run.run}: ${status.state}, ${log.length} events`));
  out.line();
  const intents = toolIntentsOf(log);
  const width = String(log.length).length + 1;
  for (const envelope of log) out.line(eventLine(envelope, intents, out, width));
  for (const report of run.refused_reports ?? []) out.line(refusedLine(report));
  const waiting = waitingWords(run, log, flags);
  out.line();
  out.line(waiting.sentence);
  out.line(`Next: ${waiting.next}`);
}

function refusedLine(report: RefusedReportAnswer): string {
  const said = printableJson(contentOf(report), SHOWN);
  return `${out.paint("dim", printable(report.time))}  ${out.paint("yellow", "refused")}  a report on #${report.seq}: ${said} (${printable(report.code)}: ${printable(report.message)})`;
}

function contentOf({ output, error, suspend, omitted }: RefusedReportAnswer): JsonValue {
  return {
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(suspend !== undefined && { suspend }),
    ...(omitted !== undefined && { omitted }),
  };
}
