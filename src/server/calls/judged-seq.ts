import { isParked, type RunState } from "../../log/fold.js";

/**
 * The position that a person looks at when they decide about a run: the pending intent, or the event that parked it, which
 * is its last. `undefined` when nothing waits.
 */
export function judgedSeq({ pending, status, nextSeq }: RunState): number | undefined {
  if (pending !== null) return pending.seq;
  return isParked(status) ? nextSeq - 1 : undefined;
}
