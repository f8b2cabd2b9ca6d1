import type { LedgerRun } from "./ledger.js";
import type { RunRecord, RunSummary, RunSummaryContent, SummaryPage, SummaryQuery } from "./event-store.js";
import { cursorOf, readCursor, type RunOrder } from "./run-order.js";

/** What a list shows of a run, or `undefined` when it has no event. */
export function summaryOf({ view, unreadable }: LedgerRun): RunSummary | undefined {
  if (view.state.nextSeq === 0) return undefined;
  const { run, firstRecordedAt, lastRecordedAt, state } = view;
  return {
    run,
    ...(unreadable === undefined && { content: contentOf(view) }),
    eventCount: state.nextSeq,
    firstRecordedAt,
    lastRecordedAt,
  };
}

export function contentOf(view: LedgerRun["view"]): RunSummaryContent {
  const { state, labels, ownership, refused, lastIntentByClient } = view;
  const { pending } = state;
  return {
    status: state.status,
    usage: state.usage,
    stepCount: state.stepCount,
    agentDefHash: view.agentDefHash,
    ...(labels !== undefined && { labels }),
    pending,
    pendingByClient: pending !== null && lastIntentByClient,
    pendingRefused: pending !== null && refused.some(({ seq }) => seq === pending.seq),
    clientOwned: ownership !== undefined,
  };
}

/**
 * One page of a list.
 *
 * @throws UnknownCursor when the cursor is none of ours.
 */
export function pageOf(
  order: RunOrder,
  find: (run: string) => LedgerRun | undefined,
  { limit = Number.POSITIVE_INFINITY, after, states, order: wanted }: SummaryQuery,
): SummaryPage {
  const runs: RunSummary[] = [];
  const place = after === undefined ? undefined : readCursor(after);
  for (const key of wanted === "newest" ? order.before(place) : order.after(place)) {
    const entry = find(key.run);
    const summary = entry && summaryOf(entry);
    if (summary === undefined) continue;
    if (states !== undefined && !states.some((state) => state === summary.content?.status.state)) continue;
    // The cursor names the last run of this page, and is answered only when another one follows.
    const last = runs.at(-1);
    if (runs.length >= limit) return last === undefined ? { runs } : { runs, next: cursorOf(last) };
    runs.push(summary);
  }
  return { runs };
}

/** What is kept beside the log of a run. */
export function recordOf({ view }: LedgerRun): RunRecord {
  return {
    eventCount: view.state.nextSeq,
    ...(view.ownership !== undefined && { ownership: view.ownership }),
    ...(view.lease !== undefined && { lease: view.lease }),
    refusedReports: view.refused,
    erased: view.erased,
  };
}
