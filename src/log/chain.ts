import { sha256Hex } from "./canonical-json.js";
import { canonicalEnvelope } from "./envelope-json.js";
import type { Envelope } from "./events.js";

/** What stands before the first row of every chain. */
export const CHAIN_START = "0".repeat(64);

/** The next hash of a run's chain, from the hash before it and the canonical text of the envelope (docs/storage.md, "The hash chain"). */
export function chainHash(previous: string, runId: string, seq: number, text: string): string {
  return sha256Hex(`salvor.chain.v1\n${previous}\n${runId}\n${seq}\n${text}`);
}

/** The next hash of a run's chain for an envelope. */
export function chainEnvelope(previous: string, envelope: Envelope): string {
  return chainHash(previous, envelope.run_id, envelope.seq, canonicalEnvelope(envelope));
}
