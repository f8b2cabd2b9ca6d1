import { envelopeJson } from "../../log/envelope-json.js";
import type { Envelope } from "../../log/events.js";
import type { RunStatus } from "../../log/fold.js";

/** One event of a run, under its position. JSON text holds no line break, so its data is one line. */
export function eventFrame(envelope: Envelope): string {
  return `id: ${envelope.seq}\ndata: ${envelopeJson(envelope)}\n\n`;
}

/** A frame under a name of its own. */
export function namedFrame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The last frame of a stream that has nothing to wait for. `detached` when the run rests only because nobody drives it. */
export function endFrame(status: RunStatus, detached: boolean): string {
  return namedFrame("end", { status, ...(detached && { detached }) });
}

/** Says that the stream lives; readers skip it. */
export const KEEP_ALIVE_FRAME = ": keep-alive\n\n";
