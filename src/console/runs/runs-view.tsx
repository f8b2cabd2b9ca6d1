import type { RunQuery, RunSummaryAnswer } from "../../client/answers.js";
import { isRunState, RunFilters } from "./run-filters.js";
import { useLive } from "../live.js";
import { go, Link } from "../router.js";
import { StateBadge } from "../ui/badge.js";
import { Ago } from "../ui/time.js";
import { Labels } from "../ui/words.js";

const EVERY_MS = 3_000;
const PAGE = 50;

const GROUPS = ["waiting", "progress", "terminal"] as const;

/** What the address says about the list that is wanted. */
export function queryOf(parameters: URLSearchParams): RunQuery {
  const { status, group, tool, label, order, after } = Object.fromEntries(parameters) as Readonly<
    Record<string, string | undefined>
  >;
  const known = GROUPS.find((one) => one === group);
  return {
    order: order === "oldest" ? "oldest" : "newest",
    limit: PAGE,
    ...(status !== undefined && isRunState(status) && { status }),
    ...(known !== undefined && { group: known }),
    ...(tool !== undefined && { tool }),
    ...(label !== undefined && { label }),
    ...(after !== undefined && { after }),
  };
}

/** Every run, in pages, newest first, as it is now. */
export function RunsView({ query: parameters }: { readonly query: URLSearchParams }) {
  const query = queryOf(parameters);
  const { value, isOld, problem } = useLive(`runs?${parameters.toString()}`, EVERY_MS, (client, signal) =>
    client.runs(query, { signal }),
  );
  const next = value?.next;
  const to = (after: string | undefined): string => {
    const changed = new URLSearchParams(parameters);
    if (after === undefined) changed.delete("after");
    else changed.set("after", after);
    const text = changed.toString();
    return text === "" ? "/runs" : `/runs?${text}`;
  };
  return (
    <section class="view">
      <header class="view-head">
        <h1 tabIndex={-1}>Runs</h1>
      </header>
      <RunFilters parameters={parameters} />
      {value === undefined ? (
        <p class="empty">{problem === "" ? "Reading…" : problem}</p>
      ) : value.runs.length === 0 ? (
        <p class="empty">No run is like that.</p>
      ) : (
        <RunTable runs={value.runs} isOld={isOld} />
      )}
      <nav class="pager" aria-label="Pages">
        {query.after !== undefined && (
          <>
            <Link to={to(undefined)}>First page</Link>
            <button type="button" onClick={() => history.back()}>
              ← Page before
            </button>
          </>
        )}
        {next !== undefined && (
          <button type="button" onClick={() => go(to(next))}>
            Next page →
          </button>
        )}
      </nav>
    </section>
  );
}

function RunTable({ runs, isOld }: { readonly runs: readonly RunSummaryAnswer[]; readonly isOld: boolean }) {
  return (
    <div class="table" aria-busy={isOld}>
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Labels</th>
            <th scope="col" class="number">
              Events
            </th>
            <th scope="col" class="number">
              Steps
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col">Driver</th>
            <th scope="col">Last activity</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.run} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ run }: { readonly run: RunSummaryAnswer }) {
  const { usage, driver } = run;
  const tokens = usage === undefined ? undefined : usage.input_tokens + usage.output_tokens;
  return (
    <tr>
      <th scope="row">
        <Link to={`/runs/${run.run}`} title={run.run}>
          <code>{run.run.slice(0, 8)}</code>
        </Link>
      </th>
      <td data-name="State">
        {run.unreadable === true ? (
          <span class="state state-failed">unreadable</span>
        ) : (
          <StateBadge state={run.status?.state ?? ""} />
        )}
      </td>
      <td data-name="Labels">
        <Labels labels={run.labels} />
      </td>
      <td data-name="Events" class="number">
        {run.event_count.toLocaleString("en")}
      </td>
      <td data-name="Steps" class="number">
        {run.step_count?.toLocaleString("en")}
      </td>
      <td data-name="Tokens" class="number">
        {tokens === undefined || tokens === 0 ? "" : tokens.toLocaleString("en")}
      </td>
      <td data-name="Driver">{driver === "attached" ? "connected" : driver === "none" ? "none" : ""}</td>
      <td data-name="Last activity">
        <Ago iso={run.last_recorded_at} />
      </td>
    </tr>
  );
}
