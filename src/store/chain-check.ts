import { setImmediate as nextTurn } from "node:timers/promises";
import { chainEnvelope } from "../log/chain.js";
import type { Envelope } from "../log/events.js";
import { TamperEvident } from "./errors.js";
import { deepFreeze } from "../contract/deep-freeze.js";
import { storedEvent, type StoredEvent } from "./stored-event.js";
import { asError } from "./write-layer.js";

/** How many events are checked before others get a turn: a few milliseconds' worth. */
const SLICE = 200;

/**
 * Reads stored events and checks that they are what was recorded: each in its place, each with the hash that the one before
 * it leads to.
 *
 * @param texts the JSON texts of stored events.
 * @param seq the position of the first one.
 * @param tip the hash before it.
 * @throws {@link TamperEvident} naming the first position that does not hold.
 */
export async function readChain(
  run: string,
  texts: readonly string[],
  seq: number,
  tip: string,
): Promise<{ readonly envelopes: Envelope[]; readonly tip: string }> {
  const envelopes: Envelope[] = [];
  let hash = tip;
  for (const text of texts) {
    const next = readLink(run, text, seq + envelopes.length, hash);
    envelopes.push(deepFreeze(next.envelope));
    hash = next.hash;
    if (envelopes.length % SLICE === 0) await nextTurn();
  }
  return { envelopes, tip: hash };
}

/**
 * Reads one stored event of a chain; see {@link readChain}.
 *
 * @throws {@link TamperEvident} naming it, when it does not hold.
 */
export function readLink(run: string, text: string, seq: number, tip: string): StoredEvent {
  try {
    const { hash, envelope } = storedEvent(JSON.parse(text));
    if (envelope.seq !== seq || envelope.run_id !== run) {
      throw new TypeError(`the event there says run ${envelope.run_id}, seq ${envelope.seq}`);
    }
    const expected = chainEnvelope(tip, envelope);
    if (expected !== hash) throw new TypeError(`its hash is ${hash}, and its content leads to ${expected}`);
    return { hash, envelope };
  } catch (cause) {
    throw new TamperEvident(run, seq, asError(cause).message, { cause });
  }
}
