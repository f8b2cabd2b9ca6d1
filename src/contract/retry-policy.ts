import type { Effect } from "./effect.js";

/** What may be done after a call failed while its caller was alive. Data: whoever performs the call enforces it. */
export type RetryPolicy =
  /** Try again. */
  | ({ readonly kind: "retry" } & RetryLimits)
  /** Try again, under the idempotency key of the first attempt. */
  | ({ readonly kind: "retry_with_same_key" } & RetryLimits)
  | { readonly kind: "never" };

export interface RetryLimits {
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  /** The wait before the second attempt; it doubles with each one, and each wait is a random part of it (full jitter). */
  readonly firstDelayMs: number;
  /** No wait is longer, whatever a `RetryableError` asks for. */
  readonly maxDelayMs: number;
}

const LIMITS: RetryLimits = { maxAttempts: 3, firstDelayMs: 200, maxDelayMs: 30_000 };

const POLICIES: Readonly<Record<Effect, RetryPolicy>> = {
  read: Object.freeze({ kind: "retry", ...LIMITS }),
  idempotent: Object.freeze({ kind: "retry_with_same_key", ...LIMITS }),
  write: Object.freeze({ kind: "never" }),
};

export const RetryPolicy = Object.freeze({
  /** The policy that an effect allows: a `write` is never retried. */
  forEffect(effect: Effect): RetryPolicy {
    return POLICIES[effect];
  },
});
