import type { Execution } from "../event-store.js";
import type { Question } from "./connection.js";

/** Who performs the pending call of a run. Time is the database's: the clocks of servers need not agree. */
export function hold(run: string, { seq, holder }: Execution, ttlMs: number): Question {
  return {
    name: "hold-execution",
    text: `INSERT INTO salvor.executions AS e (run, seq, holder, expires_at)
      VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
      ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, holder = excluded.holder, expires_at = excluded.expires_at
      WHERE e.holder = excluded.holder OR e.expires_at <= clock_timestamp()
      RETURNING 1`,
    values: [run, seq, holder, ttlMs],
  };
}

export function release(run: string, { seq, holder }: Execution): Question {
  return {
    name: "release-execution",
    text: "DELETE FROM salvor.executions WHERE run = $1 AND seq = $2 AND holder = $3",
    values: [run, seq, holder],
  };
}

export function current(run: string): Question {
  return {
    name: "execution",
    text: "SELECT seq, holder FROM salvor.executions WHERE run = $1 AND expires_at > clock_timestamp()",
    values: [run],
  };
}
