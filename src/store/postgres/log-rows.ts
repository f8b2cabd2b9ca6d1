import type { Envelope } from "../../log/events.js";
import { CHAIN_START } from "../../log/chain.js";
import { readChain } from "../chain-check.js";
import { TamperEvident } from "../errors.js";
import { hashIn } from "../stored-event.js";
import type { Question } from "./connection.js";

/** A run and one of its events; the event is `null` when none is in the range that was asked for. */
export interface LogRow {
  readonly next_seq: number;
  readonly tip: string;
  readonly erased: boolean;
  readonly unreadable_seq: number | null;
  readonly unreadable_why: string | null;
  readonly seq: number | null;
  readonly event: string | null;
}

/** Asks for events of a run, and the one before them, whose hash their chain goes on from. */
export function readRows(run: string, from: number, to: number): Question {
  return {
    name: "read-log",
    text: `SELECT r.next_seq, r.tip, r.erased, r.unreadable_seq, r.unreadable_why, e.seq, e.event
      FROM salvor.runs r LEFT JOIN salvor.events e ON e.run = r.run AND e.seq >= $2 AND e.seq < $3
      WHERE r.run = $1 ORDER BY e.seq`,
    values: [run, from - 1, Math.min(to, MAX_SEQ)],
  };
}

/** The largest position that a column of the tables can hold. */
export const MAX_SEQ = 2_147_483_647;

/**
 * The events in some rows, each in its place and each with the hash that the one before it leads to, up to the last one
 * that the run says it has.
 *
 * @throws {@link TamperEvident} naming the first position that does not hold.
 */
export async function checkedLog(
  run: string,
  rows: readonly LogRow[],
  from: number,
  to: number,
): Promise<readonly Envelope[]> {
  const [first] = rows;
  if (first === undefined || first.erased) return [];
  if (first.unreadable_seq !== null)
    throw new TamperEvident(run, first.unreadable_seq, first.unreadable_why ?? "");
  const end = Math.min(to, first.next_seq);
  if (from >= end) return [];
  const stored = rows.flatMap(({ seq, event }) => (seq === null || event === null ? [] : [{ seq, event }]));
  const before = from === 0 ? undefined : stored.shift();
  if (from > 0 && before?.seq !== from - 1)
    throw new TamperEvident(run, from - 1, "the event there is missing");
  const { envelopes, tip } = await readChain(
    run,
    stored.map(({ event }) => event),
    from,
    before === undefined ? CHAIN_START : hashIn(before.event),
  );
  if (from + envelopes.length !== end) {
    throw new TamperEvident(
      run,
      from + envelopes.length,
      `there are events up to ${from + envelopes.length - 1}, not to ${end - 1}`,
    );
  }
  if (end === first.next_seq && tip !== first.tip) {
    throw new TamperEvident(run, end - 1, "its hash is not the one that the log ended with");
  }
  return envelopes;
}
