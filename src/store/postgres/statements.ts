import type { RunView } from "../changes.js";
import { storedEventJson } from "../stored-event.js";
import { KEPT_REPORTS } from "../event-store.js";
import type { Question } from "./connection.js";
import type { Draft } from "./draft.js";
import { meaningOf, RUN_COLUMNS } from "./run-row.js";

/** Locks runs, in the order of their ids so that two transactions never wait for each other in a circle. */
export function lockRuns(runs: readonly string[], known: ReadonlyMap<string, RunView>): Question {
  const sorted = [...runs].sort();
  return {
    name: "lock-runs",
    text: `SELECT ${RUN_COLUMNS}, CASE WHEN r.tip = k.tip THEN NULL ELSE r.meaning END AS meaning
      FROM unnest($1::uuid[], $2::text[]) AS k(run, tip) JOIN salvor.runs r ON r.run = k.run
      ORDER BY r.run FOR UPDATE OF r`,
    values: [sorted, sorted.map((run) => known.get(run)?.tip ?? "")],
  };
}

export function lockIdentities(identities: readonly string[]): Question {
  return {
    name: "lock-identities",
    text: `SELECT identity, run, seq, settled FROM salvor.identities
      WHERE identity = ANY($1::text[]) ORDER BY identity FOR UPDATE`,
    values: [[...identities]],
  };
}

/** Whether a transaction of ours was committed. */
export function wasCommitted(id: string): Question {
  return { name: "was-committed", text: "SELECT 1 FROM salvor.commits WHERE id = $1", values: [id] };
}

/**
 * Writes a draft in one statement. What was not there when it was judged has to be missing still, or everything is undone:
 * the rows that are there are locked.
 */
export function write(id: string, draft: Draft): Question {
  const all = draft.runs;
  const runs = all.map(({ view }) => view);
  const events = draft.appended.flatMap(({ run, events: added }) => added.map((event) => ({ run, event })));
  const { inserted, updated, deleted } = draft.identities;
  const held = [...inserted, ...updated];
  return {
    name: "write",
    text: WRITE,
    values: [
      id,
      runs.map(({ run }) => run),
      all.map(({ fresh }) => fresh),
      runs.map(({ state }) => state.nextSeq),
      runs.map(({ tip }) => tip),
      runs.map(({ firstRecordedAt }) => firstRecordedAt),
      runs.map(({ lastRecordedAt }) => lastRecordedAt),
      runs.map(({ state }) => state.status.state),
      runs.map(({ state }) => state.pending?.seq ?? null),
      lines(runs.map(meaningOf)),
      runs.map(({ ownership }) => (ownership === undefined ? null : JSON.stringify(ownership))),
      runs.map(({ lease }) => lease ?? null),
      runs.map(({ erased }) => erased),
      events.map(({ run }) => run),
      events.map(({ event }) => event.envelope.seq),
      lines(events.map(({ event }) => storedEventJson(event))),
      held.map(({ identity }) => identity),
      held.map(({ run }) => run),
      held.map(({ seq }) => seq),
      held.map(({ settled }) => settled),
      inserted.length,
      deleted,
    ],
  };
}

/** JSON texts as one: none holds a line break, and nothing has to be escaped. */
function lines(texts: readonly string[]): string {
  return texts.join("\n");
}

const WRITE = `
WITH run AS (
  SELECT * FROM unnest($2::uuid[], $3::boolean[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[],
      string_to_array($10, E'\\n'), $11::text[], $12::text[], $13::boolean[])
    AS k(run, fresh, next_seq, tip, first_at, last_at, state, pending_seq, meaning, ownership, lease, erased)
), made AS (
  INSERT INTO salvor.runs
    (run, next_seq, tip, first_recorded_at, last_recorded_at, state, pending_seq, meaning, ownership, lease)
  SELECT run, next_seq, tip, first_at, last_at, state, pending_seq, meaning, ownership, lease FROM run WHERE fresh ORDER BY run
  ON CONFLICT DO NOTHING RETURNING 1
), changed AS (
  UPDATE salvor.runs r SET next_seq = k.next_seq, tip = k.tip, first_recorded_at = k.first_at, last_recorded_at = k.last_at,
    state = k.state, pending_seq = k.pending_seq, meaning = k.meaning, ownership = k.ownership, lease = k.lease, erased = k.erased
  FROM run k WHERE r.run = k.run AND NOT k.fresh RETURNING 1
), added AS (
  INSERT INTO salvor.events (run, seq, event)
  SELECT * FROM unnest($14::uuid[], $15::int[], string_to_array($16, E'\\n'))
), held AS (
  SELECT *, row_number() OVER () <= $21::int AS fresh
  FROM unnest($17::text[], $18::uuid[], $19::int[], $20::boolean[]) AS k(identity, run, seq, settled)
), claimed AS (
  INSERT INTO salvor.identities (identity, run, seq, settled)
  SELECT identity, run, seq, settled FROM held WHERE fresh ORDER BY identity
  ON CONFLICT DO NOTHING RETURNING 1
), moved AS (
  UPDATE salvor.identities i SET run = k.run, seq = k.seq, settled = k.settled
  FROM held k WHERE i.identity = k.identity AND NOT k.fresh RETURNING 1
), freed AS (
  DELETE FROM salvor.identities WHERE identity = ANY($22::text[]) RETURNING 1
), noted AS (
  INSERT INTO salvor.commits (id) VALUES ($1::uuid)
)
SELECT salvor.insist(
  (SELECT count(*) FROM made) + (SELECT count(*) FROM changed) = cardinality($2::uuid[])
  AND (SELECT count(*) FROM claimed) + (SELECT count(*) FROM moved) = cardinality($17::text[])
  AND (SELECT count(*) FROM freed) = cardinality($22::text[]))`;

/** What a draft does besides, in further statements of the same transaction. */
export function writeOthers(draft: Draft): readonly Question[] {
  return draft.others.flatMap((change): readonly Question[] => {
    const { run } = change;
    if (change.kind === "erase") {
      return [
        { text: "SELECT set_config('salvor.erasing', $1, true)", values: [run] },
        // The hash stands at the beginning of the text of an event.
        {
          text: `UPDATE salvor.runs SET tombstone =
            (SELECT string_agg(substr(event, 10, 64), E'\\n' ORDER BY seq) FROM salvor.events WHERE run = $1) WHERE run = $1`,
          values: [run],
        },
        ...["events", "refused_reports", "executions"].map((table) => ({
          text: `DELETE FROM salvor.${table} WHERE run = $1`,
          values: [run],
        })),
      ];
    }
    const { report } = change;
    return [
      {
        // As it was written but for its time, which is the first thing of that name in it: jsonb takes no text with a NUL.
        text: `DELETE FROM salvor.refused_reports WHERE run = $1 AND seq = $2
          AND regexp_replace(report, '"time":"[^"]*"', '') = regexp_replace($3, '"time":"[^"]*"', '')`,
        values: [run, report.seq, JSON.stringify(report)],
      },
      {
        text: "INSERT INTO salvor.refused_reports (run, seq, report) VALUES ($1, $2, $3)",
        values: [run, report.seq, JSON.stringify(report)],
      },
      {
        text: `DELETE FROM salvor.refused_reports WHERE run = $1 AND seq = $2 AND number NOT IN
          (SELECT number FROM salvor.refused_reports WHERE run = $1 AND seq = $2 ORDER BY number DESC LIMIT ${KEPT_REPORTS})`,
        values: [run, report.seq],
      },
    ];
  });
}
