import { chainEnvelope } from "../log/chain.js";
import { BATCH_MARK, batchSpan, lineIsWhole, readChange } from "./journal-frame.js";

/** Where in a batch the damage lies, as far as the lines around it still tell. */
export interface DamagePlace {
  readonly offset: number;
  readonly run?: string;
  readonly seq?: number;
}

/** Finds the damaged line of a batch: every line carries a checksum of its own. Without one, the batch's header is at fault. */
export function placeOfDamage(bytes: Buffer, offset: number): DamagePlace {
  const span = batchSpan(bytes, offset);
  if (span === undefined) return { offset };
  for (let at = span.start; at < Math.min(span.end, bytes.length);) {
    // How long the batch is may be what was damaged: lines decide.
    const found = bytes.indexOf(0x0a, at);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.toString("utf8", at, end);
    if (line.startsWith(BATCH_MARK)) break;
    if (!lineIsWhole(line)) return { offset: at, ...runAndSeq(line) };
    at = end;
  }
  return { offset };
}

function runAndSeq(line: string): { readonly run?: string; readonly seq?: number } {
  const run = /"run(?:_id)?":"([0-9a-f-]{36})"/.exec(line)?.[1];
  const seq = seqOf(line);
  return { ...(run !== undefined && { run }), ...(seq !== undefined && { seq }) };
}

/** The event whose hash does not follow from the one before it; the first one of the line when that cannot be said. */
function seqOf(line: string): number | undefined {
  const first = /"envelope":\{[^{}]*?"seq":(\d{1,15})/.exec(line)?.[1];
  try {
    const change = readChange(line);
    const events = change.kind === "append" ? change.events : [];
    for (const [index, { hash, envelope }] of events.entries()) {
      const before = events[index - 1];
      if (before !== undefined && chainEnvelope(before.hash, envelope) !== hash) return envelope.seq;
    }
  } catch {
    // Where it stops being JSON is where it was damaged: the last event that begins before that.
    const seqs = [...line.slice(0, brokenAt(line)).matchAll(/"envelope":\{[^{}]*?"seq":(\d{1,15})/g)];
    const last = seqs.at(-1)?.[1];
    if (last !== undefined) return Number(last);
  }
  return first === undefined ? undefined : Number(first);
}

function brokenAt(line: string): number {
  try {
    JSON.parse(line);
  } catch (error) {
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    if (at !== undefined) return Number(at);
  }
  return line.length;
}
