import type { JsonObject, JsonValue } from "../contract/json.js";
import type { CallPosition, Envelope } from "../log/events.js";
import type { Refusal } from "../log/guard.js";

/** What was asked for differs from what the log holds, or is not legal behind it. Nothing was written. */
export class Divergence extends Error {
  override readonly name = "Divergence";
  readonly code = "divergence";

  constructor(
    message: string,
    /** What the caller may need to go on; `holder` when another call holds the identity. */
    readonly details?: JsonObject,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The append guard refused an event. */
  static ofRefusal({ rule, position, found, expected, message }: Refusal): Divergence {
    return new Divergence(message, { rule, position, found, expected });
  }

  /** Another call holds the identity. */
  static ofHolder(message: string, holder: CallPosition): Divergence {
    return new Divergence(message, { holder: { run_id: holder.run_id, seq: holder.seq } });
  }

  /** A run that is replayed asks for something else than what its log holds. */
  static ofReplay({ run_id, seq, event }: Envelope, askedFor: object): Divergence {
    const [recorded, asked] = [plain(event), plain(askedFor)];
    return new Divergence(
      `position ${seq} of run ${run_id}: recorded is ${brief(recorded)}, asked for was ${brief(asked)}`,
      { position: seq, recorded, asked },
    );
  }
}

/** An event as JSON data: a random number, which JSON cannot hold, as its digits. */
function plain(event: object): JsonValue {
  const digits = (_: string, member: unknown) => (typeof member === "bigint" ? String(member) : member);
  return JSON.parse(JSON.stringify(event, digits)) as JsonValue;
}

function brief(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= 400 ? text : `${text.slice(0, 400)}…`;
}
