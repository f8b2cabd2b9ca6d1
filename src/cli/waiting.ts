import type { RunSummaryAnswer } from "../client/answers.js";
import type { SalvorClient } from "../client/salvor-client.js";
import { ageOf } from "./age.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { WaitingOptions } from "./commands/waiting.js";
import { connect } from "./remote.js";
import { tableLines, type Column } from "./table.js";
import { out, printJson } from "./terminal.js";

const PAGE = 1_000;

const COLUMNS: readonly Column[] = [
  { title: "RUN" },
  { title: "STATUS" },
  { title: "WAITS", align: "right" },
];

/** Says which runs wait for a person for so long, and exits with {@link EXIT.waiting} when some do. */
export async function runWaiting(options: WaitingOptions): Promise<ExitCode> {
  const remote = connect(options);
  const now = Date.now();
  const all = await remote.ask(waitingRuns);
  const waits = all
    .filter((run) => now - since(run) >= options.olderThan)
    .toSorted((a, b) => since(a) - since(b));
  if (options.json === true) printJson({ waiting: waits });
  else if (waits.length === 0) out.line("Nothing waits for a person.");
  else {
    for (const line of tableLines(
      COLUMNS,
      waits.map((run) => rowOf(run, now)),
      out.columns,
    ))
      out.line(line);
    out.line(`Next: salvor history ${waits[0]?.run ?? ""}${remote.flags}`);
  }
  return waits.length === 0 ? EXIT.ok : EXIT.waiting;
}

async function waitingRuns(client: SalvorClient): Promise<readonly RunSummaryAnswer[]> {
  const found: RunSummaryAnswer[] = [];
  for (let after: string | undefined; ;) {
    const page = await client.runs({ group: "waiting", limit: PAGE, ...(after !== undefined && { after }) });
    found.push(...page.runs);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** When a wait began. A time that cannot be read counts as long ago: nothing that waits may be passed over. */
function since({ last_recorded_at: at }: RunSummaryAnswer): number {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? 0 : moment;
}

function rowOf(run: RunSummaryAnswer, now: number): readonly string[] {
  return [run.run, run.status?.state ?? "unreadable", ageOf(run.last_recorded_at, now)];
}
