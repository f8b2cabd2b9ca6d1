import type { RunView } from "../changes.js";
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

/** Which transactions of ours were committed. */
export function whichCommitted(ids: readonly string[]): Question {
  return {
    name: "which-committed",
    text: "SELECT id FROM salvor.commits WHERE id = ANY($1::uuid[])",
    values: [[...ids]],
  };
}

/** Notes transactions as over: none of them can be committed any more. */
export function note(ids: readonly string[]): Question {
  return {
    name: "note",
    text: "INSERT INTO salvor.commits (id) SELECT unnest($1::uuid[])",
    values: [[...ids]],
  };
}

/**
 * Writes a draft in one statement, and all of it or nothing: everything that is changed has to be as it was when it was
 * judged, and what was not there has to be missing still.
 *
 * @param ids of this transaction, and of those before it that it stands for.
 */
export function write(ids: readonly string[], draft: Draft): Question {
  const changes = draft.runs;
  const runs = changes.map(({ view }) => view);
  const events = draft.appended.flatMap(({ run, events: added }) => added.map((event) => ({ run, event })));
  const identities = draft.identities;
  return {
    name: "write",
    text: WRITE,
    values: [
      ids,
      runs.map(({ run }) => run),
      changes.map(({ was }) => was?.tip ?? null),
      changes.map(({ was }) => was?.lease ?? null),
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
      lines(events.map(({ event }) => event.text)),
      identities.map(({ identity }) => identity),
      identities.map(({ was }) => was?.run_id ?? null),
      identities.map(({ was }) => was?.seq ?? null),
      identities.map(({ was }) => was?.settled ?? null),
      identities.map(({ holder }) => holder?.run_id ?? null),
      identities.map(({ holder }) => holder?.seq ?? null),
      identities.map(({ holder }) => holder?.settled ?? null),
    ],
  };
}

/** JSON texts as one: none holds a line break, and nothing has to be escaped. */
function lines(texts: readonly string[]): string {
  return texts.join("\n");
}

// Rows that are there are locked before any is added, in the order of the locks: that is the order in which they are counted.
const WRITE = `
WITH run AS (
  SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::int[], string_to_array($11, E'\\n'), $12::text[], $13::text[], $14::boolean[])
    AS k(run, old_tip, old_lease, next_seq, tip, first_at, last_at, state, pending_seq, meaning, ownership, lease, erased)
), changed AS (
  UPDATE salvor.runs r SET next_seq = k.next_seq, tip = k.tip, first_recorded_at = k.first_at, last_recorded_at = k.last_at,
    state = k.state, pending_seq = k.pending_seq, meaning = k.meaning, ownership = k.ownership, lease = k.lease, erased = k.erased
  FROM run k WHERE r.run = k.run AND r.tip = k.old_tip AND r.lease IS NOT DISTINCT FROM k.old_lease
    AND NOT r.erased AND r.unreadable_seq IS NULL RETURNING 1
), made AS (
  INSERT INTO salvor.runs
    (run, next_seq, tip, first_recorded_at, last_recorded_at, state, pending_seq, meaning, ownership, lease)
  SELECT run, next_seq, tip, first_at, last_at, state, pending_seq, meaning, ownership, lease
  FROM run WHERE old_tip IS NULL ORDER BY run ON CONFLICT DO NOTHING RETURNING 1
), added AS (
  INSERT INTO salvor.events (run, seq, event)
  SELECT * FROM unnest($15::uuid[], $16::int[], string_to_array($17, E'\\n'))
), identity AS (
  SELECT * FROM unnest($18::text[], $19::uuid[], $20::int[], $21::boolean[], $22::uuid[], $23::int[], $24::boolean[])
    AS k(identity, old_run, old_seq, old_settled, run, seq, settled)
), moved AS (
  UPDATE salvor.identities i SET run = k.run, seq = k.seq, settled = k.settled
  FROM identity k WHERE i.identity = k.identity AND i.run = k.old_run AND i.seq = k.old_seq AND i.settled = k.old_settled
    AND k.run IS NOT NULL RETURNING 1
), freed AS (
  DELETE FROM salvor.identities i USING identity k
  WHERE i.identity = k.identity AND i.run = k.old_run AND i.seq = k.old_seq AND i.settled = k.old_settled
    AND k.run IS NULL RETURNING 1
), claimed AS (
  INSERT INTO salvor.identities (identity, run, seq, settled)
  SELECT identity, run, seq, settled FROM identity WHERE old_run IS NULL ORDER BY identity
  ON CONFLICT DO NOTHING RETURNING 1
), noted AS (
  INSERT INTO salvor.commits (id) SELECT unnest($1::uuid[])
)
SELECT salvor.insist(
  (SELECT count(*) FROM changed) + (SELECT count(*) FROM made) = cardinality($2::uuid[])
  AND (SELECT count(*) FROM moved) + (SELECT count(*) FROM freed) + (SELECT count(*) FROM claimed) = cardinality($18::text[]))`;

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
