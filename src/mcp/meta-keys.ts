/** Where a call's idempotency key travels in the `_meta` of a `tools/call`: the same for every attempt at one call. */
export const IDEMPOTENCY_KEY_META = "salvor/idempotency-key";
