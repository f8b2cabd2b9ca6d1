import type { DriverPresence } from "../event-store.js";

/** Whose drivers were seen, by whichever server. */
export class Presence implements DriverPresence {
  readonly #listeners = new Set<(run: string) => void>();

  constructor(private readonly tell: (run: string) => void) {}

  announce(run: string): void {
    this.tell(run);
  }

  heard(run: string): void {
    for (const listener of [...this.#listeners]) listener(run);
  }

  subscribe(listener: (run: string) => void): () => void {
    // The same function may listen twice; each time is its own.
    const own = (run: string): void => {
      listener(run);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }
}
