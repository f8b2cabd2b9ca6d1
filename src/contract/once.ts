/** A function that makes a value when it is first asked for it, and answers that one from then on. What it throws is thrown each time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
