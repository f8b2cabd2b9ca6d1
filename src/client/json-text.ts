import type { JsonValue } from "../contract/json.js";
import { NotJson, toPlainJson } from "../contract/plain-json.js";
import { envelopeJson } from "../log/envelope-json.js";
import type { Envelope } from "../log/events.js";
import { SalvorError } from "./salvor-error.js";

/** A value that JSON cannot carry unchanged: sending it would record something else than what the caller has. */
export class NotJsonError extends SalvorError {
  override readonly name = "NotJsonError";
  constructor(
    /** What the value is for, as `input of refund_card`. */
    readonly what: string,
    /** Where, as `$.lines[2].amount_cents`. */
    readonly path: string,
    problem: string,
    cause?: unknown,
  ) {
    super(`${what}: ${path}: ${problem}`, { code: "not_json", cause });
  }
}

/**
 * A value's own copy as plain JSON data: later changes of the original do not reach it.
 *
 * @param what names the value in an error.
 * @throws {@link NotJsonError} when JSON cannot carry it unchanged.
 */
export function plainCopy(value: unknown, what: string): JsonValue {
  try {
    return toPlainJson(value);
  } catch (cause) {
    if (!(cause instanceof NotJson)) throw cause;
    throw new NotJsonError(what, cause.path, cause.problem, cause);
  }
}

/**
 * The JSON text of a request body; a member that is `undefined` is left out.
 *
 * @param what names the request in an error.
 * @throws {@link NotJsonError} when JSON cannot carry a member unchanged.
 */
export function bodyText(members: object, what: string): string {
  const texts: string[] = [];
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    if (value === undefined) continue;
    texts.push(`${JSON.stringify(name)}:${JSON.stringify(plainCopy(value, `${name} of ${what}`))}`);
  }
  return `{${texts.join(",")}}`;
}

/**
 * The JSON text of a body of events, `RandomObserved.value` with all its digits.
 *
 * @throws {@link NotJsonError} when JSON cannot carry a payload unchanged.
 */
export function eventsText(events: readonly Envelope[]): string {
  for (const { event } of events) {
    if (event.kind !== "RandomObserved") plainCopy(event.payload, event.kind);
  }
  return `{"events":[${events.map(envelopeJson).join(",")}]}`;
}
