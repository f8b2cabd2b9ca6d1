import type { RunState } from "../../log/fold.js";
import type { RunView } from "../changes.js";
import { TamperEvident } from "../errors.js";
import type { RunOwnership } from "../event-store.js";

/** A row of `salvor.runs`, without what only erasing leaves. */
export interface RunRow {
  readonly run: string;
  readonly next_seq: number;
  readonly tip: string;
  readonly first_recorded_at: string;
  readonly last_recorded_at: string;
  /** `null` when the one who asked knows what the log means up to this tip. */
  readonly meaning: string | null;
  readonly ownership: string | null;
  readonly lease: string | null;
  readonly erased: boolean;
  readonly unreadable_seq: number | null;
  readonly unreadable_why: string | null;
}

/** The columns of a {@link RunRow} but for its meaning. */
export const RUN_COLUMNS =
  "r.run, r.next_seq, r.tip, r.first_recorded_at, r.last_recorded_at, r.ownership, r.lease, r.erased, r.unreadable_seq, r.unreadable_why";

/** What the events of a run say, as far as it is no column of its own. */
interface Meaning {
  readonly state: RunState;
  readonly agentDefHash: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly lastIntentByClient: boolean;
}

/** Views never change, and each is written once and weighed once. */
const TEXTS = new WeakMap<RunView, string>();

export function meaningOf(view: RunView): string {
  const known = TEXTS.get(view);
  if (known !== undefined) return known;
  const { state, agentDefHash, labels, lastIntentByClient } = view;
  const meaning: Meaning = { state, agentDefHash, ...(labels && { labels }), lastIntentByClient };
  const text = JSON.stringify(meaning);
  TEXTS.set(view, text);
  return text;
}

/**
 * What a row says of a run.
 *
 * @param known what the log means up to the row's tip, when the row does not say it.
 */
export function viewOf(row: RunRow, known?: RunView): RunView {
  const meaning = row.meaning === null ? known : (JSON.parse(row.meaning) as Meaning);
  if (meaning?.state.nextSeq !== row.next_seq) {
    throw new TamperEvident(row.run, row.next_seq, "its row in salvor.runs contradicts itself");
  }
  const { state, agentDefHash, labels, lastIntentByClient } = meaning;
  return {
    run: row.run,
    state,
    tip: row.tip,
    firstRecordedAt: row.first_recorded_at,
    lastRecordedAt: row.last_recorded_at,
    agentDefHash,
    labels,
    lastIntentByClient,
    ownership: row.ownership === null ? undefined : (JSON.parse(row.ownership) as RunOwnership),
    lease: row.lease ?? undefined,
    refused: [],
    erased: row.erased,
  };
}

/** @throws {@link TamperEvident} when somebody has found that the log is not what was recorded. */
export function refuseUnreadable(row: RunRow): void {
  if (row.unreadable_seq === null || row.erased) return;
  throw new TamperEvident(row.run, row.unreadable_seq, row.unreadable_why ?? "it was found to be changed");
}
