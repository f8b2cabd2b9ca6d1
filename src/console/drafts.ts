import { useLayoutEffect, useState } from "preact/hooks";

/**
 * What was typed and is not recorded yet, by the decision that it is for. It is kept in the memory of the page alone: it may
 * hold what is in no store of a browser's.
 */
const kept = new Map<string, unknown>();

/** How many things are kept, the last ones. */
const MOST = 400;

export function keep(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(oldest);
  }
}

export function readKept(key: string): unknown {
  return kept.get(key);
}

/** Forgets all whose key begins so: what is recorded is no draft any more. */
export function forget(beginning: string): void {
  for (const key of [...kept.keys()]) if (key.startsWith(beginning)) kept.delete(key);
}

/** A state that begins with what was kept of it when the place it stands in was there before. */
export function useKept<T>(
  key: string,
  start: () => T,
): readonly [value: T, set: (next: T | ((before: T) => T)) => void] {
  const [value, setValue] = useState<T>(() => (kept.get(key) as T | undefined) ?? start());
  useLayoutEffect(() => {
    keep(key, value);
  }, [key, value]);
  return [value, setValue];
}
