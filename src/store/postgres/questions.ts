import type { RefusedReport, RunOwnership, RunRecord } from "../event-store.js";
import type { Question } from "./connection.js";

/** What is kept beside a log, as a row. */
export interface RecordRow {
  readonly next_seq: number;
  readonly ownership: string | null;
  readonly lease: string | null;
  readonly erased: boolean;
  readonly reports: readonly string[] | null;
}

export function recordQuestion(run: string): Question {
  return {
    name: "read-run",
    text: `SELECT next_seq, ownership, lease, erased,
        (SELECT array_agg(report ORDER BY number) FROM salvor.refused_reports f WHERE f.run = r.run) AS reports
      FROM salvor.runs r WHERE run = $1`,
    values: [run],
  };
}

export function recordOf({ next_seq, ownership, lease, erased, reports }: RecordRow): RunRecord {
  return {
    eventCount: next_seq,
    ...(ownership !== null && { ownership: JSON.parse(ownership) as RunOwnership }),
    ...(lease !== null && { lease }),
    refusedReports: (reports ?? []).map((report) => JSON.parse(report) as RefusedReport),
    erased,
  };
}

export function holderQuestion(identity: string): Question {
  return {
    name: "lookup-call",
    text: "SELECT run, seq, settled FROM salvor.identities WHERE identity = $1",
    values: [identity],
  };
}

export function countsQuestion(runs: readonly string[]): Question {
  return {
    name: "counts",
    text: "SELECT run, next_seq FROM salvor.runs WHERE run = ANY($1::uuid[])",
    values: [[...runs]],
  };
}
