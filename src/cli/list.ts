import type { RunPage, RunSummaryAnswer } from "../client/answers.js";
import { ageOf } from "./age.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { ListOptions } from "./commands/list.js";
import { printable } from "./printable.js";
import { connect } from "./remote.js";
import { tableLines, type Column } from "./table.js";
import { err, out, printJson } from "./terminal.js";

const COLUMNS: readonly Column[] = [
  { title: "RUN" },
  { title: "STATUS" },
  { title: "WAITS FOR" },
  { title: "EVENTS", align: "right" },
  { title: "AGE", align: "right" },
  { title: "LAST", align: "right" },
  { title: "LABELS" },
];

/** Prints the runs of a server. */
export async function runList(options: ListOptions): Promise<ExitCode> {
  const remote = connect(options);
  const { status, group, limit } = options;
  const page = await remote.ask((client) =>
    client.runs({
      ...(status !== undefined && { status }),
      ...(group !== undefined && { group }),
      ...(limit !== undefined && { limit }),
    }),
  );
  if (options.json === true) {
    printJson(page);
    return EXIT.ok;
  }
  if (page.runs.length === 0) {
    err.line(group === undefined && status === undefined ? "No runs yet." : "No such runs.");
    return EXIT.ok;
  }
  // The server alone knows what waits for a person; a row does not say it.
  const waiting =
    group === "waiting" ? page : await remote.ask((client) => client.runs({ group: "waiting" }));
  print(page, new Set(waiting.runs.map((run) => run.run)), remote.flags);
  return EXIT.ok;
}

function print(page: RunPage, waiting: ReadonlySet<string>, flags: string): void {
  const now = Date.now();
  const rows = page.runs.map((run) => rowOf(run, waiting.has(run.run), now));
  const [heading = "", ...lines] = tableLines(COLUMNS, rows, out.columns);
  out.line(out.paint("bold", heading));
  lines.forEach((line, at) => {
    out.line(waiting.has(page.runs[at]?.run ?? "") ? out.paint("yellow", line) : line);
  });
  if (!out.terminal) return;
  const waits = page.runs.filter((run) => waiting.has(run.run));
  const shown = `${page.runs.length} ${page.runs.length === 1 ? "run" : "runs"}, ${waits.length} waiting for a person`;
  out.line();
  out.line(page.next === undefined ? `${shown}.` : `${shown}. There are more: raise --limit.`);
  const next = waits[0] ?? page.runs.at(-1);
  if (next !== undefined) out.line(`Next: salvor history ${next.run}${flags}`);
}

function rowOf(run: RunSummaryAnswer, waits: boolean, now: number): readonly string[] {
  const labels = Object.entries(run.labels ?? {}).map(([key, value]) => printable(`${key}=${value}`));
  return [
    run.run,
    run.unreadable === true ? "unreadable" : (run.status?.state ?? "?"),
    waits ? "a person" : run.driver === "attached" ? "its driver" : "",
    String(run.event_count),
    ageOf(run.first_recorded_at, now),
    ageOf(run.last_recorded_at, now),
    labels.join(" "),
  ];
}
