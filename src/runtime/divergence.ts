import type { JsonObject } from "../contract/json.js";
import type { CallPosition } from "../log/events.js";
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
}
