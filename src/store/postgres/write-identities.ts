import { booleans, integers, texts, uuids } from "./columns.js";
import type { HolderChange } from "./draft.js";
import type { Part, Use } from "./write-part.js";

const MOVED: Part = {
  name: "-moved",
  does: (identity, oldRun, oldSeq, oldSettled, run, seq, settled) => `moved AS (
  UPDATE salvor.identities i SET run = k.run, seq = k.seq, settled = k.settled
  FROM unnest(${identity}::text[], ${oldRun}::uuid[], ${oldSeq}::int[], ${oldSettled}::boolean[],
      ${run}::uuid[], ${seq}::int[], ${settled}::boolean[])
    AS k(identity, old_run, old_seq, old_settled, run, seq, settled)
  WHERE i.identity = k.identity AND i.run = k.old_run AND i.seq = k.old_seq AND i.settled = k.old_settled RETURNING 1
)`,
  insists: (identity) => `(SELECT count(*) FROM moved) = cardinality(${identity}::text[])`,
};

const FREED: Part = {
  name: "-freed",
  does: (identity, oldRun, oldSeq, oldSettled) => `freed AS (
  DELETE FROM salvor.identities i
  USING unnest(${identity}::text[], ${oldRun}::uuid[], ${oldSeq}::int[], ${oldSettled}::boolean[])
    AS k(identity, old_run, old_seq, old_settled)
  WHERE i.identity = k.identity AND i.run = k.old_run AND i.seq = k.old_seq AND i.settled = k.old_settled RETURNING 1
)`,
  insists: (identity) => `(SELECT count(*) FROM freed) = cardinality(${identity}::text[])`,
};

const CLAIMED: Part = {
  name: "-claimed",
  does: (identity, run, seq, settled) => `claimed AS (
  INSERT INTO salvor.identities (identity, run, seq, settled)
  SELECT * FROM unnest(${identity}::text[], ${run}::uuid[], ${seq}::int[], ${settled}::boolean[])
  ON CONFLICT DO NOTHING RETURNING 1
)`,
  insists: (identity) => `(SELECT count(*) FROM claimed) = cardinality(${identity}::text[])`,
};

/** Rows that are there are locked before any is added, in the order of the locks: that is the order in which they are counted. */
export function held(identities: readonly HolderChange[]): readonly Use[] {
  const moved = identities.filter(({ was, holder }) => was !== undefined && holder !== undefined);
  const freed = identities.filter(({ was, holder }) => was !== undefined && holder === undefined);
  const claimed = identities.filter(({ was }) => was === undefined);
  return [
    ...use(MOVED, moved, (each) => [
      ...namesOf(each),
      ...holdersOf(each, "was"),
      ...holdersOf(each, "holder"),
    ]),
    ...use(FREED, freed, (each) => [...namesOf(each), ...holdersOf(each, "was")]),
    ...use(CLAIMED, claimed, (each) => [...namesOf(each), ...holdersOf(each, "holder")]),
  ];
}

function use(
  part: Part,
  rows: readonly HolderChange[],
  values: (rows: readonly HolderChange[]) => readonly string[],
): readonly Use[] {
  return rows.length === 0 ? [] : [{ part, values: values(rows) }];
}

function namesOf(rows: readonly HolderChange[]): readonly string[] {
  return [texts(rows.map(({ identity }) => identity))];
}

function holdersOf(rows: readonly HolderChange[], which: "was" | "holder"): readonly string[] {
  return [
    uuids(rows.map((row) => row[which]?.run_id ?? null)),
    integers(rows.map((row) => row[which]?.seq ?? null)),
    booleans(rows.map((row) => row[which]?.settled ?? null)),
  ];
}
