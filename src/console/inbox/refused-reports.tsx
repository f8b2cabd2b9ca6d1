import type { ComponentChildren } from "preact";
import type { RefusedReportAnswer } from "../../client/answers.js";
import type { JsonValue } from "../../contract/json.js";
import { differencesOf } from "../ui/differences.js";
import { Differing } from "../ui/differing.js";
import type { KnownTool } from "../tools/known-tool.js";
import { JsonView } from "../ui/json-view.js";
import { ServerWords } from "../ui/server-words.js";
import { Clock } from "../ui/time.js";
import { cut, visible } from "../ui/visible.js";
import { refusalWords } from "./refusal-words.js";

interface RefusedReportsProps {
  readonly reports: readonly RefusedReportAnswer[];
  /** The call that they are about. */
  readonly call: { readonly tool: string; readonly input: JsonValue };
  readonly declared: KnownTool | undefined;
}

/** What a client reported of an open call and was refused for: it often holds the provider's id. */
export function RefusedReports({ reports, call, declared }: RefusedReportsProps) {
  if (reports.length === 0) return null;
  return (
    <section class="reports">
      <h3>{reports.length === 1 ? "A report was refused" : `${reports.length} reports were refused`}</h3>
      <ol>
        {reports.map((report) => (
          <RefusedReport key={report.time} report={report} tool={call.tool} declared={declared}>
            <Differing differences={differencesOf(call.input, report.output)} />
          </RefusedReport>
        ))}
      </ol>
    </section>
  );
}

interface RefusedReportProps {
  readonly report: RefusedReportAnswer;
  readonly tool: string;
  readonly declared: KnownTool | undefined;
  readonly isSettled?: boolean;
  /** What it is held against. */
  readonly children: ComponentChildren;
}

export function RefusedReport({ report, tool, declared, isSettled = false, children }: RefusedReportProps) {
  const { time, code, message } = report;
  return (
    <li>
      <p>
        <Clock iso={time} />: {refusalWords(report, cut(visible(tool), 80), declared, isSettled)}
      </p>
      {children}
      <Reported report={report} />
      <ServerWords code={code} message={message} />
    </li>
  );
}

function Reported({ report: { output, error, suspend, omitted } }: { readonly report: RefusedReportAnswer }) {
  if (omitted !== undefined) {
    return (
      <p class="note">
        It was too large to keep: {omitted.bytes.toLocaleString("en")} bytes, <code>{omitted.hash}</code>
      </p>
    );
  }
  const value: JsonValue | undefined = output ?? error ?? suspend;
  return value === undefined ? null : <JsonView value={value} label="What was reported" />;
}
