import { booleans, integers, lines, texts, uuids } from "./columns.js";
import type { RunChange } from "./draft.js";
import { isWritten, meaningOf } from "./meaning.js";
import type { Part, Use } from "./write-part.js";

/** What changes with every append, and how the row has to be before. */
const STEP: Part = {
  name: "-step",
  does: (run, oldTip, oldLease, nextSeq, tip, lastAt, state, pendingSeq, meaning) => `changed AS (
  UPDATE salvor.runs r SET next_seq = k.next_seq, tip = k.tip, last_recorded_at = k.last_at, state = k.state,
    pending_seq = k.pending_seq, meaning = coalesce(k.meaning, r.meaning),
    meaning_seq = CASE WHEN k.meaning IS NULL THEN coalesce(r.meaning_seq, r.next_seq) END
  FROM unnest(${run}::uuid[], ${oldTip}::text[], ${oldLease}::text[], ${nextSeq}::int[], ${tip}::text[], ${lastAt}::text[],
      ${state}::text[], ${pendingSeq}::int[], string_to_array(${meaning}, E'\\n', ''))
    AS k(run, old_tip, old_lease, next_seq, tip, last_at, state, pending_seq, meaning)
  WHERE r.run = k.run AND r.tip = k.old_tip AND r.lease IS NOT DISTINCT FROM k.old_lease
    AND NOT r.erased AND r.unreadable_seq IS NULL RETURNING 1
)`,
  insists: (run) => `(SELECT count(*) FROM changed) = cardinality(${run}::uuid[])`,
};

/** The same where anything else of a run changes too. */
const TURN: Part = {
  name: "-turn",
  does: (
    run,
    oldTip,
    oldLease,
    nextSeq,
    tip,
    lastAt,
    state,
    pendingSeq,
    meaning,
    firstAt,
    ownership,
    lease,
    erased,
  ) => `changed AS (
  UPDATE salvor.runs r SET next_seq = k.next_seq, tip = k.tip, first_recorded_at = k.first_at, last_recorded_at = k.last_at,
    state = k.state, pending_seq = k.pending_seq, meaning = coalesce(k.meaning, r.meaning),
    meaning_seq = CASE WHEN k.meaning IS NULL THEN coalesce(r.meaning_seq, r.next_seq) END,
    ownership = k.ownership, lease = k.lease, erased = k.erased
  FROM unnest(${run}::uuid[], ${oldTip}::text[], ${oldLease}::text[], ${nextSeq}::int[], ${tip}::text[], ${lastAt}::text[],
      ${state}::text[], ${pendingSeq}::int[], string_to_array(${meaning}, E'\\n', ''), ${firstAt}::text[], ${ownership}::text[],
      ${lease}::text[], ${erased}::boolean[])
    AS k(run, old_tip, old_lease, next_seq, tip, last_at, state, pending_seq, meaning, first_at, ownership, lease, erased)
  WHERE r.run = k.run AND r.tip = k.old_tip AND r.lease IS NOT DISTINCT FROM k.old_lease
    AND NOT r.erased AND r.unreadable_seq IS NULL RETURNING 1
)`,
  insists: (run) => `(SELECT count(*) FROM changed) = cardinality(${run}::uuid[])`,
};

/** One update for all runs that are there, so that their rows are locked in the order of their ids. */
export function changed(runs: readonly RunChange[]): readonly Use[] {
  if (runs.length === 0) return [];
  const values = [
    uuids(runs.map(({ view }) => view.run)),
    texts(runs.map(({ was }) => was?.tip ?? null)),
    texts(runs.map(({ was }) => was?.lease ?? null)),
    integers(runs.map(({ view }) => view.state.nextSeq)),
    texts(runs.map(({ view }) => view.tip)),
    texts(runs.map(({ view }) => view.lastRecordedAt)),
    texts(runs.map(({ view }) => view.state.status.state)),
    integers(runs.map(({ view }) => view.state.pending?.seq ?? null)),
    lines(runs.map((change) => (isWritten(change) ? meaningOf(change.view) : ""))),
  ];
  return [
    runs.every(isStep)
      ? { part: STEP, values }
      : {
          part: TURN,
          values: [
            ...values,
            texts(runs.map(({ view }) => view.firstRecordedAt)),
            texts(runs.map(ownershipOf)),
            texts(runs.map(({ view }) => view.lease ?? null)),
            booleans(runs.map(({ view }) => view.erased)),
          ],
        },
  ];
}

function isStep({ was, view }: RunChange): boolean {
  return (
    was?.lease === view.lease &&
    was?.ownership === view.ownership &&
    was?.firstRecordedAt === view.firstRecordedAt &&
    was.erased === view.erased
  );
}

function ownershipOf({ view: { ownership } }: RunChange): string | null {
  return ownership === undefined ? null : JSON.stringify(ownership);
}

const MADE: Part = {
  name: "-made",
  does: (run, nextSeq, tip, firstAt, lastAt, state, pendingSeq, meaning, ownership, lease) => `made AS (
  INSERT INTO salvor.runs
    (run, next_seq, tip, first_recorded_at, last_recorded_at, state, pending_seq, meaning, ownership, lease)
  SELECT * FROM unnest(${run}::uuid[], ${nextSeq}::int[], ${tip}::text[], ${firstAt}::text[], ${lastAt}::text[],
      ${state}::text[], ${pendingSeq}::int[], string_to_array(${meaning}, E'\\n'), ${ownership}::text[], ${lease}::text[])
  ON CONFLICT DO NOTHING RETURNING 1
)`,
  insists: (run) => `(SELECT count(*) FROM made) = cardinality(${run}::uuid[])`,
};

/** Runs that are not there yet. */
export function made(runs: readonly RunChange[]): readonly Use[] {
  if (runs.length === 0) return [];
  const values = [
    uuids(runs.map(({ view }) => view.run)),
    integers(runs.map(({ view }) => view.state.nextSeq)),
    texts(runs.map(({ view }) => view.tip)),
    texts(runs.map(({ view }) => view.firstRecordedAt)),
    texts(runs.map(({ view }) => view.lastRecordedAt)),
    texts(runs.map(({ view }) => view.state.status.state)),
    integers(runs.map(({ view }) => view.state.pending?.seq ?? null)),
    lines(runs.map(({ view }) => meaningOf(view))),
    texts(runs.map(ownershipOf)),
    texts(runs.map(({ view }) => view.lease ?? null)),
  ];
  return [{ part: MADE, values }];
}
