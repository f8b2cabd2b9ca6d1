import type { JsonValue } from "../contract/json.js";
import type { Envelope } from "./events.js";
import type { JsonPath } from "./json-path.js";

/**
 * An envelope from parsed JSON: `RandomObserved.value` is a bigint in memory, however small. What is no integer there is
 * left as it came: a stored log may hold anything.
 */
export function reviveEnvelope(value: JsonValue): Envelope {
  const envelope = value as unknown as Envelope;
  const { event } = envelope;
  if (event.kind !== "RandomObserved") return envelope;
  const parsed: unknown = event.payload.value;
  if (!Number.isSafeInteger(parsed) || (parsed as number) < 0) return envelope;
  return { ...envelope, event: { ...event, payload: { ...event.payload, value: BigInt(parsed as number) } } };
}

/** Whether a path, seen from an envelope, is where `RandomObserved` has its value. */
export function isRandomValue(path: JsonPath): boolean {
  return path.length === 3 && path[0] === "event" && path[1] === "payload" && path[2] === "value";
}
