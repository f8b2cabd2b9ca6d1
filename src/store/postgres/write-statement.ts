import { booleans, integers, lines, texts, uuids } from "./columns.js";
import type { Question } from "./connection.js";
import type { Draft, HolderChange, RunChange } from "./draft.js";
import type { LoggedEvent } from "../stored-event.js";
import { isWritten, meaningOf } from "./meaning.js";

/** A part of the statement that writes a draft. */
interface Part {
  /** Tells the statements apart that have it from those that have not. */
  readonly name: string;
  /** What it does, as expressions of a WITH; given the places of its values. */
  readonly does: (...places: string[]) => string;
  /** What has to hold once that is done, with the same places. */
  readonly insists?: (...places: string[]) => string;
}

/** A part that a draft needs, with its values. */
interface Use {
  readonly part: Part;
  readonly values: readonly string[];
}

/**
 * Writes a draft in one statement, and all of it or nothing: everything that is changed has to be as it was when it was
 * judged, and what was not there has to be missing still. It has no part that this draft does not need: PostgreSQL
 * prepares and ends each of them, also for no row.
 *
 * @param ids of this transaction, and of those before it that it stands for.
 */
export function write(ids: readonly string[], draft: Draft): Question {
  const { runs } = draft;
  const uses = [
    ...changed(runs.filter(({ was }) => was !== undefined)),
    ...made(runs.filter(({ was }) => was === undefined)),
    ...added(draft.appended),
    ...held(draft.identities),
    { part: NOTED, values: [uuids(ids)] },
  ];
  const name = `write${uses.map(({ part }) => part.name).join("")}`;
  let text = TEXTS.get(name);
  if (text === undefined) {
    text = textOf(uses);
    TEXTS.set(name, text);
  }
  return { name, text, values: uses.flatMap(({ values }) => values) };
}

const TEXTS = new Map<string, string>();

function textOf(uses: readonly Use[]): string {
  let place = 0;
  const placed = uses.map(({ part, values }) => ({
    part,
    places: values.map(() => `$${(place += 1)}`),
  }));
  const does = placed.map(({ part, places }) => part.does(...places));
  const insists = placed.flatMap(({ part, places }) => part.insists?.(...places) ?? []);
  return `WITH ${does.join(",\n")}\nSELECT salvor.insist(${insists.join("\n  AND ")})`;
}

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
function changed(runs: readonly RunChange[]): readonly Use[] {
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

function made(runs: readonly RunChange[]): readonly Use[] {
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

const ADDED: Part = {
  name: "-added",
  does: (run, seq, event) => `added AS (
  INSERT INTO salvor.events (run, seq, event)
  SELECT * FROM unnest(${run}::uuid[], ${seq}::int[], string_to_array(${event}, E'\\n'))
)`,
};

function added(
  appended: readonly { readonly run: string; readonly events: readonly LoggedEvent[] }[],
): readonly Use[] {
  if (appended.length === 0) return [];
  const runs: string[] = [];
  const seqs: number[] = [];
  const events: string[] = [];
  for (const { run, events: each } of appended) {
    for (const { envelope, text } of each) {
      runs.push(run);
      seqs.push(envelope.seq);
      events.push(text);
    }
  }
  return [{ part: ADDED, values: [uuids(runs), integers(seqs), lines(events)] }];
}

// Rows that are there are locked before any is added, in the order of the locks: that is the order in which they are counted.
const HELD: Part = {
  name: "-held",
  does: (identity, oldRun, oldSeq, oldSettled, run, seq, settled) => `identity AS (
  SELECT * FROM unnest(${identity}::text[], ${oldRun}::uuid[], ${oldSeq}::int[], ${oldSettled}::boolean[],
      ${run}::uuid[], ${seq}::int[], ${settled}::boolean[])
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
)`,
  insists: (identity) =>
    `(SELECT count(*) FROM moved) + (SELECT count(*) FROM freed) + (SELECT count(*) FROM claimed) = cardinality(${identity}::text[])`,
};

function held(identities: readonly HolderChange[]): readonly Use[] {
  if (identities.length === 0) return [];
  const values = [
    texts(identities.map(({ identity }) => identity)),
    uuids(identities.map(({ was }) => was?.run_id ?? null)),
    integers(identities.map(({ was }) => was?.seq ?? null)),
    booleans(identities.map(({ was }) => was?.settled ?? null)),
    uuids(identities.map(({ holder }) => holder?.run_id ?? null)),
    integers(identities.map(({ holder }) => holder?.seq ?? null)),
    booleans(identities.map(({ holder }) => holder?.settled ?? null)),
  ];
  return [{ part: HELD, values }];
}

const NOTED: Part = {
  name: "",
  does: (ids) => `noted AS (
  INSERT INTO salvor.commits (id) SELECT unnest(${ids}::uuid[])
)`,
};
