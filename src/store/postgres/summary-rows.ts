import type { RunStateName } from "../../log/fold.js";
import { UnknownCursor } from "../errors.js";
import type { RunSummary, SummaryPage, SummaryQuery } from "../event-store.js";
import { parseRunId } from "../../log/run-id.js";
import { cursorOf, readCursor } from "../run-order.js";
import { contentOf } from "../summary-list.js";
import type { Question } from "./connection.js";
import { LISTED } from "./meaning.js";
import { MEANING_COLUMNS, RUN_COLUMNS, viewOf, type RunRow } from "./run-row.js";

/** A run as lists show it. */
export type SummaryRow = RunRow & { readonly refused: boolean };

const COLUMNS = `${RUN_COLUMNS}, ${MEANING_COLUMNS}, EXISTS (
  SELECT 1 FROM salvor.refused_reports f WHERE f.run = r.run AND f.seq = r.pending_seq) AS refused`;

export function readSummary(run: string): Question {
  return {
    name: "read-summary",
    text: `SELECT ${COLUMNS} FROM salvor.runs r WHERE r.run = $1 AND r.next_seq > 0`,
    values: [run],
  };
}

/** How many runs are asked for at once. */
const PAGE = 500;

/**
 * One page of a list.
 *
 * @throws {@link UnknownCursor} when the cursor is none of ours.
 */
export async function readPage(
  { limit = Number.POSITIVE_INFINITY, after, states, order = "oldest" }: SummaryQuery,
  ask: (question: Question) => Promise<readonly SummaryRow[]>,
): Promise<SummaryPage> {
  const runs: RunSummary[] = [];
  let place = after === undefined ? START[order] : readCursor(after);
  if (after !== undefined && parseRunId(place.run) === undefined) throw new UnknownCursor(after);
  for (;;) {
    // One more than is shown tells whether another page follows.
    const wanted = Math.min(PAGE, limit - runs.length + 1);
    const rows = await ask(pageQuestion(place, wanted, states, order));
    for (const row of rows) {
      const last = runs.at(-1);
      if (runs.length >= limit) return last === undefined ? { runs } : { runs, next: cursorOf(place) };
      runs.push(summaryOf(row));
      place = { firstRecordedAt: row.first_recorded_at, run: row.run };
    }
    if (rows.length < wanted) return { runs };
  }
}

type Order = NonNullable<SummaryQuery["order"]>;

/** Places before the first run of each order: every time that is recorded begins with a year of four digits. */
const START = {
  oldest: { firstRecordedAt: "", run: "00000000-0000-0000-0000-000000000000" },
  newest: { firstRecordedAt: "a", run: "ffffffff-ffff-ffff-ffff-ffffffffffff" },
} as const;

/** How a list goes on behind a place. */
const BEHIND = { oldest: ">", newest: "<" } as const;
const SORTED = { oldest: "", newest: " DESC" } as const;

function pageQuestion(
  { firstRecordedAt, run }: { readonly firstRecordedAt: string; readonly run: string },
  limit: number,
  states: readonly RunStateName[] | undefined,
  order: Order,
): Question {
  const [behind, sorted] = [BEHIND[order], SORTED[order]];
  if (states === undefined) {
    return {
      name: `list-${order}`,
      text: `SELECT ${COLUMNS} FROM salvor.runs r
        WHERE first_recorded_at <> '' AND (first_recorded_at, run) ${behind} ($1, $2::uuid)
        ORDER BY first_recorded_at${sorted}, run${sorted} LIMIT $3`,
      values: [firstRecordedAt, run, limit],
    };
  }
  const listed = [...new Set(states.map((state) => (LISTED.has(state) ? state : "moving")))];
  return {
    name: `list-states-${order}`,
    // Each list is in the right order by itself, so that no more than a page of each is read.
    text: `SELECT p.* FROM unnest($4::text[]) AS l(listed), LATERAL (
        SELECT ${COLUMNS} FROM salvor.runs r
        WHERE r.listed = l.listed AND r.state = ANY($5::text[]) AND r.unreadable_seq IS NULL
          AND first_recorded_at <> '' AND (first_recorded_at, run) ${behind} ($1, $2::uuid)
        ORDER BY first_recorded_at${sorted}, run${sorted} LIMIT $3) AS p
      ORDER BY p.first_recorded_at${sorted}, p.run${sorted} LIMIT $3`,
    values: [firstRecordedAt, run, limit, listed, [...states]],
  };
}

export function summaryOf(row: SummaryRow): RunSummary {
  return {
    run: row.run,
    ...contentIn(row),
    eventCount: row.next_seq,
    firstRecordedAt: row.first_recorded_at,
    lastRecordedAt: row.last_recorded_at,
  };
}

/** A row that cannot be read takes no list with it. */
function contentIn(row: SummaryRow): Pick<RunSummary, "content"> {
  if (row.unreadable_seq !== null) return {};
  try {
    return { content: { ...contentOf(viewOf(row)), pendingRefused: row.refused } };
  } catch {
    return {};
  }
}
