import { deepFreeze } from "../contract/deep-freeze.js";
import { frozenCopy } from "../contract/frozen-copy.js";
import type { JsonValue } from "../contract/json.js";
import { chainEnvelope } from "../log/chain.js";
import { canonicalEnvelope, envelopeJson } from "../log/envelope-json.js";
import type { Envelope } from "../log/events.js";

/** An event as it lies on disk: with its hash in the chain of its run. */
export interface StoredEvent {
  readonly hash: string;
  readonly envelope: Envelope;
}

/** A stored event with the JSON text of it. */
export interface LoggedEvent extends StoredEvent {
  readonly text: string;
}

/** An event on its way into a log: a store's own copy that nobody can change, and the JSON text of that. */
export interface NewEvent {
  readonly envelope: Envelope;
  readonly json: string;
}

/**
 * Takes over what a caller wants appended: nothing that becomes of it afterwards reaches the store.
 *
 * @throws TypeError when it is not JSON.
 */
export function newEvent(given: Envelope): NewEvent {
  const envelope = (frozenCopy(given as unknown as JsonValue) as Envelope | undefined) ?? readBack(given);
  return { envelope, json: envelopeJson(envelope) };
}

/** A copy as a restart would find it. */
function readBack(envelope: Envelope): Envelope {
  // Refuses what the text would only say as null.
  canonicalEnvelope(envelope);
  const text = storedEventJson({ hash: "", envelope });
  return deepFreeze(storedEvent(JSON.parse(text)).envelope);
}

/** The next event of a run whose chain has come to `tip`. */
export function chained({ envelope, json }: NewEvent, tip: string): LoggedEvent {
  const hash = chainEnvelope(tip, envelope);
  return { hash, envelope, text: storedText(hash, envelope, json) };
}

/** The JSON text of a stored event, without a line break. */
export function storedEventJson({ hash, envelope }: StoredEvent): string {
  return storedText(hash, envelope, envelopeJson(envelope));
}

/** A `RandomObserved` carries its digits a second time, as a string: the one number that `JSON.parse` would round. */
function storedText(hash: string, { event }: Envelope, json: string): string {
  const digits = event.kind === "RandomObserved" ? `,"u64":"${event.payload.value}"` : "";
  return `{"hash":"${hash}"${digits},"envelope":${json}}`;
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
