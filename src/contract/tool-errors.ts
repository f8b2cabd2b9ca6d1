import { HandlerError, RetryableError, reasonOf } from "./handler-errors.js";
import type { Violation } from "./validator.js";

/** A call that definitely failed, and how far it came: a union on `code`. */
export type ToolError = InvalidInput | HandlerFailed | MissingIdempotencyKey | OutputSerialization;

/** Whether something thrown is a {@link ToolError}. */
export function isToolError(thrown: unknown): thrown is ToolError {
  return (
    thrown instanceof InvalidInput ||
    thrown instanceof HandlerFailed ||
    thrown instanceof MissingIdempotencyKey ||
    thrown instanceof OutputSerialization
  );
}

/** The input does not match the tool's schema; the handler never ran. Never retried. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly code = "invalid_input";

  constructor(
    readonly tool: string,
    readonly violations: readonly Violation[],
    options?: ErrorOptions,
  ) {
    super(`the input of ${tool} does not match its schema: ${violationText(violations)}`, options);
  }
}

/** The handler failed. For a `write` only ever a definite failure; its `cause` is what the handler threw. */
export class HandlerFailed extends Error {
  override readonly name = "HandlerFailed";
  readonly code = "handler";
  /** Whether the author said that the effect did not happen. */
  readonly definite: boolean;
  /** How long the handler asked to wait before another attempt, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(
    readonly tool: string,
    cause: unknown,
  ) {
    super(`${tool} failed: ${reasonOf(cause)}`, { cause });
    this.definite = cause instanceof HandlerError;
    if (cause instanceof RetryableError) this.retryAfterMs = cause.afterMs;
  }
}

/** A declared idempotency key cannot be derived from the input; the handler never ran. Never retried. */
export class MissingIdempotencyKey extends Error {
  override readonly name = "MissingIdempotencyKey";
  readonly code = "missing_idempotency_key";

  constructor(
    readonly tool: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`the idempotency key of ${tool} ${problem}`, options);
  }
}

/**
 * The handler ran and what it returned cannot be recorded: it is not JSON, does not match the output schema, or has a
 * reserved shape. Never retried. A `write` throws `UnknownOutcomeError` with this as its cause: its effect happened.
 */
export class OutputSerialization extends Error {
  override readonly name = "OutputSerialization";
  readonly code = "output_serialization";

  constructor(
    readonly tool: string,
    readonly violations: readonly Violation[],
    options?: ErrorOptions,
  ) {
    super(`the output of ${tool} cannot be recorded: ${violationText(violations)}`, options);
  }
}

function violationText(violations: readonly Violation[]): string {
  return violations.map(({ path, message }) => `${path}: ${message}`).join("; ");
}
