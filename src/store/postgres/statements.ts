import type { RunView } from "../changes.js";
import { KEPT_REPORTS } from "../event-store.js";
import type { Question } from "./connection.js";
import type { Draft } from "./draft.js";
import { texts, uuids } from "./columns.js";
import { MEANING_COLUMNS, RUN_COLUMNS } from "./run-row.js";

/** Locks runs, in the order of their ids so that two transactions never wait for each other in a circle. */
export function lockRuns(runs: readonly string[]): Question {
  const sorted = [...runs].sort();
  return {
    name: "lock-runs",
    text: `SELECT ${RUN_COLUMNS}
      FROM unnest($1::uuid[]) AS k(run) JOIN salvor.runs r ON r.run = k.run
      ORDER BY r.run FOR UPDATE OF r`,
    values: [uuids(sorted)],
  };
}

/** What locked runs mean, of those that are not as they were known: asked behind the locks, so that it sees what they waited for. */
export function readMeanings(runs: readonly string[], known: ReadonlyMap<string, RunView>): Question {
  return {
    name: "read-meanings",
    text: `SELECT r.run, ${MEANING_COLUMNS}
      FROM unnest($1::uuid[], $2::text[]) AS k(run, tip) JOIN salvor.runs r ON r.run = k.run AND r.tip <> k.tip`,
    values: [uuids(runs), texts(runs.map((run) => known.get(run)?.tip ?? ""))],
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
