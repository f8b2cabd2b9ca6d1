import assert from "node:assert/strict";

/** The error of a class that a promise rejects with. */
export async function caught<E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  return assert.fail(`nothing was thrown, where ${kind.name} was expected`);
}
