import type { EventStore } from "../event-store.js";

/** A store under test, and what only its maker can do to it. */
export interface StoreUnderTest {
  readonly store: EventStore;
  /** Closes the store and opens it again on the same data; answers the new one. */
  readonly reopen: () => Promise<EventStore>;
  /** Changes a stored event of a run behind the store's back, while it is closed, and opens it again; answers the new one. */
  readonly tamper: (run: string) => Promise<EventStore>;
  /** Whether the stored bytes hold a text anywhere. */
  readonly holdsText: (text: string) => Promise<boolean>;
  /** Lets go of everything, the data included. */
  readonly dispose: () => Promise<void>;
}

/** One promise of the port, and how to see whether a store keeps it. */
export interface Check {
  readonly name: string;
  readonly check: (subject: StoreUnderTest) => Promise<void>;
}
