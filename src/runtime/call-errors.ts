import type { JsonValue } from "../contract/json.js";
import type { FailureKind } from "../contract/reserved.js";
import type { CallPosition } from "../log/events.js";
import type { Intent } from "../log/recorded-call.js";

/** A call, and the key that it is performed under: what a person or a provider knows it by. */
export interface CallName {
  readonly tool: string;
  /** The position of its intent. */
  readonly seq: number;
  readonly idempotencyKey: string | null;
}

/** The same call is open elsewhere and has no answer yet. Nothing was recorded: ask again when that one has ended. */
export class CallInFlight extends Error {
  override readonly name = "CallInFlight";
  readonly code = "call_in_flight";
  constructor(
    readonly tool: string,
    readonly idempotencyKey: string,
    /** The call that holds the identity. */
    readonly holder: CallPosition,
  ) {
    super(
      `a call of ${tool} under the key ${idempotencyKey} is open already, as call ${holder.seq} of run ${holder.run_id}: ` +
        "nothing was recorded; ask again when that call has ended",
    );
  }
}

/** Two calls with different inputs derive one key: the key does not say what the call is. Nothing was recorded. */
export class IdempotencyKeyCollision extends Error {
  override readonly name = "IdempotencyKeyCollision";
  readonly code = "idempotency_key_collision";
  constructor(
    readonly tool: string,
    readonly idempotencyKey: string,
    /** The call that holds the identity. */
    readonly holder: CallPosition,
    /** What that call was asked with. */
    readonly recorded: JsonValue,
    readonly asked: JsonValue,
  ) {
    super(
      `the key ${idempotencyKey} belongs to call ${holder.seq} of run ${holder.run_id}, which has another input: recorded is ` +
        `${brief(recorded)}, asked for was ${brief(asked)}. One key, one input: let the key of ${tool} name everything that makes a call another call`,
    );
  }
}

/** A `write` was opened and its end is not recorded: it may have happened, and is not performed again. A person settles it. */
export class NeedsReconciliation extends Error {
  override readonly name = "NeedsReconciliation";
  readonly code = "needs_reconciliation";
  readonly tool: string;
  readonly seq: number;
  readonly input: JsonValue;
  readonly idempotencyKey: string | null;
  /** RFC 3339, UTC. */
  readonly recordedAt: string;

  constructor(
    readonly run: string,
    { event, recorded_at }: Intent,
  ) {
    const { tool, seq, input, idempotency_key: key } = event.payload;
    super(
      `${tool} (call ${seq} of run ${run}) is a write that was opened and has no recorded end: it may have happened, and is ` +
        `not performed again. Look it up by its key ${String(key)}, and settle it with DurableRun.resolve`,
    );
    this.tool = tool;
    this.seq = seq;
    this.input = input;
    this.idempotencyKey = key;
    this.recordedAt = recorded_at;
  }
}

/** The call is recorded as failed: its effect did not happen, as far as its author or a person knows. */
export class ToolFailed extends Error {
  override readonly name = "ToolFailed";
  readonly code = "tool_failed";
  constructor(
    readonly tool: string,
    readonly seq: number,
    /** What failed: the input, the handler, or the recording of the output. */
    readonly kind: FailureKind,
    /** What the log says about it: every cause, outermost first. */
    readonly reason: string,
    /** How often it was tried; 0 when a person said that it was not performed. */
    readonly attempts: number,
    /** `cause` is what the tool threw, where it was performed just now. */
    options?: ErrorOptions,
  ) {
    super(`${tool} (call ${seq}) failed (${kind}): ${reason}`, options);
  }
}

/** A `write` was performed and what came of it is not recorded: its effect may have happened. The call stays open. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
  readonly code = "unknown_outcome";
  readonly tool: string;
  readonly seq: number;
  readonly idempotencyKey: string | null;
  /** What the tool answered, when it did and it could not be recorded. */
  readonly output?: JsonValue;

  constructor(call: CallName, problem: string, options: ErrorOptions & { readonly output?: JsonValue }) {
    const { tool, seq, idempotencyKey } = call;
    super(
      `${tool} (call ${seq}) is a write, and it ${problem}. Its effect may have happened. The call stays open under its key ` +
        `${String(idempotencyKey)} until a person settles it with DurableRun.resolve`,
      { cause: options.cause },
    );
    this.tool = tool;
    this.seq = seq;
    this.idempotencyKey = idempotencyKey;
    if (options.output !== undefined) this.output = options.output;
  }
}

function brief(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
