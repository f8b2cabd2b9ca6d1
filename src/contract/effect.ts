/** The effects, from harmless to not repeatable. */
export const EFFECTS = ["read", "idempotent", "write"] as const;

/**
 * What a call does to the world, which decides retry, replay and what happens after a crash:
 * `read` changes nothing; `idempotent` may be repeated under the same idempotency key; `write` may not be repeated.
 */
export type Effect = (typeof EFFECTS)[number];

/** Whether a value is one of the three effects. */
export function isEffect(value: unknown): value is Effect {
  return EFFECTS.some((effect) => effect === value);
}
