import { chainEnvelope } from "../log/chain.js";
import { TamperEvident } from "./errors.js";
import { asError } from "./write-layer.js";
import type { StoredEvent } from "./stored-event.js";

/**
 * Checks that events are what was recorded: each in its place, each with the hash that the one before it leads to.
 *
 * @param seq the position of the first one.
 * @param tip the hash before it.
 * @returns the hash of the last one.
 * @throws {@link TamperEvident} naming the first position that does not hold.
 */
export function verifyChain(run: string, events: readonly StoredEvent[], seq: number, tip: string): string {
  let at = seq;
  let hash = tip;
  for (const stored of events) {
    hash = verified(run, stored, at, hash);
    at += 1;
  }
  return hash;
}

function verified(run: string, { hash, envelope }: StoredEvent, seq: number, tip: string): string {
  let expected: string;
  try {
    if (envelope.seq !== seq || envelope.run_id !== run) {
      throw new TypeError(`the event there says run ${envelope.run_id}, seq ${envelope.seq}`);
    }
    expected = chainEnvelope(tip, envelope);
  } catch (cause) {
    throw new TamperEvident(run, seq, asError(cause).message, { cause });
  }
  if (expected !== hash) {
    throw new TamperEvident(run, seq, `its hash is ${hash}, and its content leads to ${expected}`);
  }
  return hash;
}
