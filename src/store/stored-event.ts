import type { Envelope } from "../log/events.js";
import { envelopeJson } from "../log/envelope-json.js";

/** An event as it lies on disk: with its hash in the chain of its run. */
export interface StoredEvent {
  readonly hash: string;
  readonly envelope: Envelope;
}

/**
 * The JSON text of a stored event, without a line break. A `RandomObserved` carries its digits a second time, as a string:
 * the one number that `JSON.parse` would round.
 */
export function storedEventJson({ hash, envelope }: StoredEvent): string {
  const digits = envelope.event.kind === "RandomObserved" ? `,"u64":"${envelope.event.payload.value}"` : "";
  return `{"hash":"${hash}"${digits},"envelope":${envelopeJson(envelope)}}`;
}

/** The hash in the JSON text of a stored event. */
export function hashIn(json: string): string {
  return json.slice('{"hash":"'.length, '{"hash":"'.length + 64);
}

/** A stored event from its parsed JSON. */
export function storedEvent(parsed: unknown): StoredEvent {
  const { hash, u64, envelope } = parsed as { hash: string; u64?: unknown; envelope: Envelope };
  if (typeof u64 === "string" && /^\d{1,20}$/.test(u64)) restoreDigits(envelope, BigInt(u64));
  return { hash, envelope };
}

function restoreDigits(envelope: Envelope, value: bigint): void {
  const payload: unknown = envelope.event.payload;
  if (typeof payload === "object" && payload !== null) Object.assign(payload, { value });
}
