import type { JsonValue } from "../contract/json.js";
import { canonicalJson } from "./canonical-text.js";
import type { Envelope } from "./events.js";

/** The JSON text of an envelope, `RandomObserved.value` with all its digits. */
export function envelopeJson(envelope: Envelope): string {
  return withEveryDigit(envelope, JSON.stringify);
}

/** The canonical text of an envelope (RFC 8785), `RandomObserved.value` with all its digits. */
export function canonicalEnvelope(envelope: Envelope): string {
  return withEveryDigit(envelope, (value) => canonicalJson(value as JsonValue));
}

/** Writes an envelope with a writer that knows doubles only: a mark that the text does not hold keeps the place of the digits. */
function withEveryDigit(envelope: Envelope, write: (value: unknown) => string): string {
  const { event } = envelope;
  if (event.kind !== "RandomObserved") return write(envelope);
  // A stored log may hold anything there; what is no integer is written like everything else, with its quotes.
  const digits: unknown = event.payload.value;
  if (typeof digits !== "bigint") return write(envelope);
  const withValue = (value: unknown) =>
    write({ ...envelope, event: { ...event, payload: { ...event.payload, value } } });
  const others = withValue(0);
  let mark = "u64";
  while (others.includes(mark)) mark += "*";
  return withValue(mark).replace(`"${mark}"`, () => String(digits));
}
