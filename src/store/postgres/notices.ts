import type { WaitNotices } from "../event-store.js";
import type { Question } from "./connection.js";

/** Who was told of which wait, for all servers of a database. Time is the database's. */
export class DatabaseNotices implements WaitNotices {
  readonly #rows: (question: Question) => Promise<readonly unknown[]>;

  constructor(rows: (question: Question) => Promise<readonly unknown[]>) {
    this.#rows = rows;
  }

  async claim(run: string, seq: number, holder: string, ttlMs: number): Promise<boolean> {
    const taken = await this.#rows({
      name: "claim-notice",
      text: `INSERT INTO salvor.notices AS n (run, seq, holder, claimed_until)
        VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
        ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, holder = excluded.holder, claimed_until = excluded.claimed_until
        WHERE n.told_seq < excluded.seq
          AND (n.seq <> excluded.seq OR n.holder = excluded.holder OR n.claimed_until <= clock_timestamp())
        RETURNING 1`,
      values: [run, seq, holder, ttlMs],
    });
    return taken.length === 1;
  }

  async told(run: string, seq: number): Promise<void> {
    await this.#rows({
      name: "told-notice",
      text: `INSERT INTO salvor.notices AS n (run, seq, holder, claimed_until, told_seq)
        VALUES ($1, $2, '', clock_timestamp(), $2)
        ON CONFLICT (run) DO UPDATE SET told_seq = greatest(n.told_seq, excluded.told_seq)`,
      values: [run, seq],
    });
  }
}
