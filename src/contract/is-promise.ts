/** Whether something is waited for: a promise, or whatever else has a `then`. Throws what its `then` throws when it is read. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const mayBe = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayBe && "then" in value && typeof value.then === "function";
}
