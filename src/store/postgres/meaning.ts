import type { RunState, RunStateName } from "../../log/fold.js";
import type { RunView } from "../changes.js";
import type { RunChange } from "./draft.js";

/** What the events of a run say, as far as it is no column of its own: kept so that nobody has to read a log from its beginning. */
export interface Meaning {
  readonly state: RunState;
  readonly agentDefHash: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly lastIntentByClient: boolean;
}

/** The states that a list is kept of; a run passes through the others with every call. */
export const LISTED: ReadonlySet<RunStateName> = new Set([
  "completed",
  "failed",
  "abandoned",
  "suspended",
  "budget_exceeded",
]);

/**
 * Whoever reads a row has to read fewer events than this besides. To write the meaning with each of them would be a tenth of what an
 * append costs this process, and to read sixteen takes a tenth of a millisecond.
 */
const STRIDE = 16;

/** The text of a meaning. */
export function meaningOf({ state, agentDefHash, labels, lastIntentByClient }: RunView): string {
  const meaning: Meaning = { state, agentDefHash, ...(labels && { labels }), lastIntentByClient };
  return JSON.stringify(meaning);
}

/** Whether a run that changes has its meaning written: now and then, and wherever it may stay. */
export function isWritten({ was, view }: RunChange): boolean {
  if (was?.erased !== view.erased) return true;
  const [before, after] = [was.state.nextSeq, view.state.nextSeq];
  if (before === after) return false;
  return Math.trunc(before / STRIDE) !== Math.trunc(after / STRIDE) || LISTED.has(view.state.status.state);
}
