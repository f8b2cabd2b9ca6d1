import { CHAIN_START } from "../../log/chain.js";
import { readLink } from "../chain-check.js";
import { applyEvents, unknownRun, type RunView } from "../changes.js";
import { TamperEvident } from "../errors.js";
import type { RunOwnership } from "../event-store.js";
import { hashIn } from "../stored-event.js";
import type { Meaning } from "./meaning.js";

/** A row of `salvor.runs`, without what only erasing leaves. */
export interface RunRow {
  readonly run: string;
  readonly next_seq: number;
  readonly tip: string;
  readonly first_recorded_at: string;
  readonly last_recorded_at: string;
  /** What the log means as far as that was written; `null` when the one who asked knows what it means up to this tip. */
  readonly meaning: string | null;
  /** See {@link since}. */
  readonly since: string | null;
  readonly ownership: string | null;
  readonly lease: string | null;
  readonly erased: boolean;
  readonly unreadable_seq: number | null;
  readonly unreadable_why: string | null;
}

/** What the columns of {@link MEANING_COLUMNS} say of a run. */
export type MeaningRow = Pick<RunRow, "run" | "meaning" | "since">;

/** A row that was locked: what it means is read behind the lock. */
export type LockedRow = Omit<RunRow, "meaning" | "since">;

/** Locked rows with what they mean, where that was not known. */
export function withMeanings(rows: readonly LockedRow[], meanings: readonly MeaningRow[]): readonly RunRow[] {
  const found = new Map(meanings.map((each) => [each.run, each]));
  return rows.map((row) => ({ ...row, ...(found.get(row.run) ?? { meaning: null, since: null }) }));
}

/** The columns of a {@link LockedRow}. */
export const RUN_COLUMNS =
  "r.run, r.next_seq, r.tip, r.first_recorded_at, r.last_recorded_at, r.ownership, r.lease, r.erased, r.unreadable_seq, r.unreadable_why";

/** What a row says that its own columns do not, and the events that it does not know of. */
export const MEANING_COLUMNS = `r.meaning, ${since("r")} AS since`;

/** The texts of the events behind the one that the meaning of a row has come to, and of that one: a line each, in their order. */
export function since(row: string): string {
  return `(SELECT string_agg(e.event, E'\\n' ORDER BY e.seq) FROM salvor.events e WHERE e.run = ${row}.run
    AND e.seq >= ${row}.meaning_seq - 1 AND e.seq < ${row}.next_seq AND ${row}.meaning_seq < ${row}.next_seq)`;
}

/**
 * What a row says of a run.
 *
 * @param known what the log means up to the row's tip, when the row does not say it.
 * @throws {@link TamperEvident} when that is not what it leads to.
 */
export function viewOf(row: RunRow, known?: RunView): RunView {
  const view = {
    ...(row.meaning === null ? (known ?? unknownRun(row.run)) : fromMeaning(row, row.meaning)),
    firstRecordedAt: row.first_recorded_at,
    lastRecordedAt: row.last_recorded_at,
    ownership: row.ownership === null ? undefined : (JSON.parse(row.ownership) as RunOwnership),
    lease: row.lease ?? undefined,
    erased: row.erased,
  };
  if (view.state.nextSeq !== row.next_seq || view.tip !== row.tip) {
    throw new TamperEvident(row.run, row.next_seq, "its row in salvor.runs contradicts itself");
  }
  return view;
}

/** What a row's meaning says, and the events behind it, each of which has the hash that the one before it leads to. */
function fromMeaning(row: RunRow, text: string): RunView {
  const { state, agentDefHash, labels, lastIntentByClient } = JSON.parse(text) as Meaning;
  const at = state.nextSeq;
  const view = { ...unknownRun(row.run), state, agentDefHash, labels, lastIntentByClient };
  if (at === row.next_seq) return { ...view, tip: row.tip };
  const texts = row.since?.split("\n") ?? [];
  // The position in the meaning is what counts: it may be further than where the row began to read.
  const events = texts.slice(texts.length - (row.next_seq - at));
  const before = texts.at(-events.length - 1);
  let tip = at === 0 || before === undefined ? CHAIN_START : hashIn(before);
  const links = events.map((event, index) => {
    const link = readLink(row.run, event, at + index, tip);
    tip = link.hash;
    return link;
  });
  return applyEvents(view, links);
}

/** @throws {@link TamperEvident} when somebody has found that the log is not what was recorded. */
export function refuseUnreadable(row: RunRow): void {
  if (row.unreadable_seq === null || row.erased) return;
  throw new TamperEvident(row.run, row.unreadable_seq, row.unreadable_why ?? "it was found to be changed");
}
