import type { RefusedReportAnswer } from "../../client/answers.js";
import type { JsonValue } from "../../contract/json.js";
import { JsonView } from "../ui/json-view.js";
import { Clock } from "../ui/time.js";
import { Words } from "../ui/words.js";

/** What a client reported and was refused for: it often holds the provider's id. */
export function RefusedReports({ reports }: { readonly reports: readonly RefusedReportAnswer[] }) {
  if (reports.length === 0) return null;
  return (
    <section class="reports">
      <h3>{reports.length === 1 ? "A report was refused" : `${reports.length} reports were refused`}</h3>
      <ol>
        {reports.map((report) => (
          <li key={report.time}>
            <p>
              <Clock iso={report.time} /> <code>{report.code}</code> <Words text={report.message} />
            </p>
            <Reported report={report} />
          </li>
        ))}
      </ol>
    </section>
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
