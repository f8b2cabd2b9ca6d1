/**
 * A definite failure: the author of the tool says that the effect did not happen. The call is recorded as failed, and the
 * same call may be asked for again.
 */
export class HandlerError extends Error {
  override readonly name: string = "HandlerError";
  readonly code = "handler";
}

/** A definite failure that is worth another attempt. A `write` is not repeated for it either. */
export class RetryableError extends HandlerError {
  override readonly name = "RetryableError";

  /**
   * @param afterMs how long to wait before the next attempt, in milliseconds; a hint, honoured within bounds.
   * @throws RangeError when `afterMs` is no duration.
   */
  constructor(
    message: string,
    readonly afterMs: number,
    options?: ErrorOptions,
  ) {
    if (!Number.isFinite(afterMs) || afterMs < 0) {
      throw new RangeError(`afterMs must be a number of milliseconds, 0 or more; found ${afterMs}`, {
        cause: options?.cause,
      });
    }
    super(message, options);
  }
}

/**
 * A `write` ended without saying whether its effect happened: it threw something other than {@link HandlerError}, or its
 * output cannot be recorded. Never repeated and never recorded as failed: the intent stays open until a person settles it.
 */
export class UnknownOutcomeError extends Error {
  override readonly name = "UnknownOutcomeError";
  readonly code = "unknown_outcome";

  constructor(
    readonly tool: string,
    cause: unknown,
  ) {
    super(
      `${tool} is a write and ended without a definite outcome: ${reasonOf(cause)}. Its effect may have happened. ` +
        `The call stays open until a person settles it. (Where it is certain that nothing happened, throw HandlerError.)`,
      { cause },
    );
  }
}

/** What an error says, or what was thrown in its place. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a thrown ${typeof thrown}`;
  }
}
