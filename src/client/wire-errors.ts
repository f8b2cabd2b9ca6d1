import type { JsonSchema, JsonValue } from "../contract/json.js";
import type { FailureKind } from "../contract/reserved.js";
import type { Violation } from "../contract/validator.js";
import type { Effect } from "../contract/effect.js";
import type { CallPosition } from "../log/events.js";
import { SalvorError, type SalvorErrorFields } from "./salvor-error.js";

/** 400: the request is at fault; `violations` says where, when a schema refused it. */
export class BadRequestError extends SalvorError {
  override readonly name = "BadRequestError";
  constructor(
    message: string,
    fields: SalvorErrorFields,
    readonly violations: readonly Violation[] = [],
  ) {
    super(message, fields);
  }
}

/** 401: the server wants a bearer token, or does not know the one it got. */
export class UnauthorizedError extends SalvorError {
  override readonly name = "UnauthorizedError";
}

/** The drive token is not, or no longer, the run's: somebody else opened the run. Open it again to drive it. */
export class InvalidDriveTokenError extends SalvorError {
  override readonly name = "InvalidDriveTokenError";
}

/** 403: only the operator may do this; give the client the operator token. */
export class OperatorRequiredError extends SalvorError {
  override readonly name = "OperatorRequiredError";
}

/** 404: no run with this id, or one that has no event yet. */
export class UnknownRunError extends SalvorError {
  override readonly name = "UnknownRunError";
}

/** 404: the operator declared no tool of this name. */
export class UnknownToolError extends SalvorError {
  override readonly name = "UnknownToolError";
}

/** 409: the id belongs to a run that no client may open. Open another id. */
export class RunExistsError extends SalvorError {
  override readonly name = "RunExistsError";
}

/** 409: the run is not in a state in which this can be done, or it moved on since it was looked at. Read it again. */
export class WrongStateError extends SalvorError {
  override readonly name = "WrongStateError";
}

/** What a caller asked for at a position that holds something else. */
export interface DivergenceFound {
  /** The position in question. */
  readonly position?: number | undefined;
  /** What the log holds there. */
  readonly recorded?: unknown;
  /** What was asked for instead. */
  readonly asked?: unknown;
  /** The call that holds the identity, when that is why. */
  readonly holder?: CallPosition | undefined;
}

/** The log says otherwise: another event is recorded at this position, or another call holds this identity. */
export class DivergenceError extends SalvorError {
  override readonly name = "DivergenceError";
  readonly position: number | undefined;
  readonly recorded: unknown;
  readonly asked: unknown;
  readonly holder: CallPosition | undefined;

  constructor(message: string, fields: SalvorErrorFields, found: DivergenceFound = {}) {
    super(message, fields);
    this.position = found.position;
    this.recorded = found.recorded;
    this.asked = found.asked;
    this.holder = found.holder;
  }
}

/** A call that was opened and has no completion. */
export interface OpenIntent {
  readonly kind: "tool";
  readonly seq: number;
  readonly tool: string;
  readonly input: JsonValue;
  readonly effect: Effect;
  readonly idempotency_key: string | null;
  readonly recorded_at: string;
}

/**
 * A write was opened and nobody recorded how it ended: it may or may not have happened. It is not executed again; a person
 * looks it up by `intent.idempotency_key` and settles it.
 */
export class NeedsReconciliationError extends SalvorError {
  override readonly name = "NeedsReconciliationError";
  constructor(
    message: string,
    fields: SalvorErrorFields,
    readonly intent: OpenIntent | undefined,
  ) {
    super(message, fields);
  }
}

/** What a client has to say about a call: exactly one of the three. */
export type Report =
  | { readonly output: JsonValue }
  | { readonly error: { readonly message: string; readonly kind?: FailureKind } }
  | { readonly suspend: { readonly reason: string; readonly input_schema: JsonSchema } };

/** A report that was refused: the call it is about and what it said. */
export interface RefusedCompletion {
  readonly seq: number;
  readonly report: Report;
  /** The key that the call was performed under; absent where the client was not told it. */
  readonly idempotencyKey?: string | null | undefined;
  readonly violations?: readonly Violation[];
}

/**
 * The server did not believe a report, and the call stays open. With status 400 the report itself is at fault and may be
 * corrected under the same key; with 403 `client_completion_refused` a client may not close this call like this, and a person
 * settles it (the message names the endpoint).
 */
export class CompletionRefusedError extends SalvorError {
  override readonly name = "CompletionRefusedError";
  readonly seq: number;
  readonly idempotencyKey: string | null | undefined;
  readonly report: Report;
  /** The refused output; absent when the report was a failure or a suspension. */
  readonly output: JsonValue | undefined;
  readonly violations: readonly Violation[];

  constructor(message: string, fields: SalvorErrorFields, refused: RefusedCompletion) {
    super(message, fields);
    this.seq = refused.seq;
    this.idempotencyKey = refused.idempotencyKey;
    this.report = refused.report;
    this.output = "output" in refused.report ? refused.report.output : undefined;
    this.violations = refused.violations ?? [];
  }

  /** The same refusal, with the key that the call was performed under. */
  under(idempotencyKey: string | null): CompletionRefusedError {
    const { message, code, status, details, cause, seq, report, violations } = this;
    const words = `${message} (call ${seq}, key ${String(idempotencyKey)})`;
    const refused = { seq, report, violations, idempotencyKey };
    return new CompletionRefusedError(words, { code, status, details, cause }, refused);
  }
}

/** 503: the server cannot do this now; `retryAfterMs` says when to ask again, when it knows. */
export class UnavailableError extends SalvorError {
  override readonly name = "UnavailableError";
  constructor(
    message: string,
    fields: SalvorErrorFields,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message, fields);
  }
}
