import type { Envelope } from "../log/events.js";
import type { StoredEvent } from "./stored-event.js";

/** Who listens to which run. */
export class Subscriptions {
  readonly #listeners = new Map<string, Set<(envelope: Envelope) => void>>();

  add(run: string, listener: (envelope: Envelope) => void): () => void {
    // The same function may listen twice; each time is its own.
    const own = (envelope: Envelope): void => {
      listener(envelope);
    };
    const listeners = this.#listeners.get(run) ?? new Set();
    this.#listeners.set(run, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(run) === listeners) this.#listeners.delete(run);
    };
  }

  publish(run: string, events: readonly StoredEvent[]): void {
    const listeners = this.#listeners.get(run);
    if (listeners === undefined) return;
    for (const { envelope } of events) for (const listener of [...listeners]) callSafely(listener, envelope);
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** A listener's own failure is its owner's, never the store's: what was recorded stays recorded. */
export function callSafely(listener: (envelope: Envelope) => void, envelope: Envelope): void {
  try {
    listener(envelope);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error), "SubscriberFailed");
  }
}
