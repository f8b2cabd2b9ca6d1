import type { RunView, Change } from "../changes.js";
import type { Lookup } from "../judge.js";
import type { CallHolder } from "../event-store.js";
import type { LoggedEvent } from "../stored-event.js";

/** A change that somebody asked for and that waits for its transaction. */
export interface Work {
  readonly run: string;
  /** The identities that it may change: locked with the run. */
  readonly identities: readonly string[];
  /** About how many bytes it sends. */
  readonly size: number;
  /** Judges it on what is locked. Throws its refusal; `undefined` changes nothing. May be asked again. */
  readonly judge: (look: Lookup) => Change | undefined;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** What became of the works of a transaction that was committed, or that had nothing to write. */
export interface Outcome {
  /** The refusal of each work, at its place; `undefined` where it was done. */
  readonly refusals: readonly unknown[];
  readonly appended: readonly { readonly run: string; readonly events: readonly LoggedEvent[] }[];
  /** The changed runs as they are now. */
  readonly views: readonly RunView[];
  /** Who holds the changed identities now; `undefined` stands for one that is free. */
  readonly holders: ReadonlyMap<string, CallHolder | undefined>;
}
