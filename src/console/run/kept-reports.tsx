import { useState } from "preact/hooks";
import type { RefusedReportAnswer, RunAnswer } from "../../client/answers.js";
import { holds, type Envelope } from "../../log/events.js";
import { isTerminal } from "../../log/fold.js";
import { Differing } from "../ui/differing.js";
import { RefusedReport } from "../inbox/refused-reports.js";
import { go } from "../router.js";
import type { KnownTools } from "../tools/known-tool.js";
import { standingOf, type Standing } from "./contradiction.js";

/** How many are drawn before somebody asks for the rest. */
const SHOWN = 5;

interface KeptReportsProps {
  readonly run: RunAnswer;
  readonly tools: KnownTools;
  readonly events: readonly Envelope[];
}

/** What was reported and not believed of calls that are not open any more: those that contradict the log come first. */
export function KeptReports({ run, tools, events }: KeptReportsProps) {
  const [isWhole, setWhole] = useState(false);
  const open = isTerminal(run.status) ? undefined : run.pending?.seq;
  const found = (run.refused_reports ?? [])
    .filter(({ seq }) => seq !== open)
    .flatMap((report) => {
      const intent = events[report.seq];
      if (!holds(intent, "ToolCallRequested")) return [];
      const standing = standingIn(events[report.seq + 1], report);
      return [{ report, tool: intent.event.payload.tool, standing }];
    })
    .sort((a, b) => Number(b.standing?.kind === "against") - Number(a.standing?.kind === "against"));
  if (found.length === 0) return null;
  const shown = isWhole ? found : found.slice(0, SHOWN);
  return (
    <section class="reports" aria-label="Refused reports">
      <h2>{found.length === 1 ? "A report was refused" : `${found.length} reports were refused`}</h2>
      <ol>
        {shown.map(({ report, tool, standing }) => (
          <RefusedReport
            key={`${report.seq} ${report.time}`}
            report={report}
            tool={tool}
            declared={tools.get(tool)}
            isSettled={standing !== undefined}
          >
            <StandingMark standing={standing} />
            <button
              type="button"
              class="quiet"
              onClick={() => go(`/runs/${run.run}?at=${report.seq}`, "replace")}
            >
              About the call at {report.seq}
            </button>
          </RefusedReport>
        ))}
      </ol>
      {found.length > shown.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {found.length}
        </button>
      )}
    </section>
  );
}

function standingIn(envelope: Envelope | undefined, report: RefusedReportAnswer): Standing | undefined {
  return holds(envelope, "ToolCallCompleted") && envelope.event.payload.seq === report.seq
    ? standingOf(report, envelope.event.payload.output)
    : undefined;
}

function StandingMark({ standing }: { readonly standing: Standing | undefined }) {
  if (standing === undefined) return <p class="note">What came of the call is not known.</p>;
  if (standing.kind === "same") return <p class="note">It says what is recorded.</p>;
  if (standing.kind === "besides") return null;
  return (
    <>
      <p class="contradicts">
        Contradicts what is recorded{standing.words !== undefined && `: ${standing.words}`}
      </p>
      <Differing differences={standing.differences} against="recorded is" />
    </>
  );
}
