/** The member of `_meta` in which the idempotency key of a call travels: a non-empty string that names this call and no other. */
export const IDEMPOTENCY_KEY_META = "salvor.dev/idempotency-key";
