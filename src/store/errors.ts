import type { CallHolder } from "./event-store.js";

/** A position that is taken, or an identity that is held: somebody else was first. */
export class Conflict extends Error {
  override readonly name = "Conflict";
  readonly code = "conflict";
  constructor(
    message: string,
    /** Who holds the identity, when that is what the append failed on. */
    readonly holder?: CallHolder,
  ) {
    super(message);
  }
}

/** The appending driver's lease is not the run's current one. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  readonly code = "lease_lost";
  constructor(run: string) {
    super(`the drive token is not the current one of run ${run}: the run was opened again since`);
  }
}

/** A stored log whose hash chain does not hold: it was changed outside this store, or the disk lost part of it. */
export class TamperEvident extends Error {
  override readonly name = "TamperEvident";
  readonly code = "tamper_evident";
  constructor(
    readonly run: string,
    readonly seq: number,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`run ${run} cannot be trusted from seq ${seq} on: ${detail}`, options);
  }
}

/** The content of the run was erased; its id stays taken. */
export class RunErased extends Error {
  override readonly name = "RunErased";
  readonly code = "run_erased";
  constructor(run: string) {
    super(`run ${run} was erased; its id stays taken`);
  }
}

/** The id has history that no client owns. */
export class ForeignRun extends Error {
  override readonly name = "ForeignRun";
  readonly code = "foreign_run";
  constructor(run: string) {
    super(`run ${run} was not opened by a client, so no client can drive it`);
  }
}

/** The run has not ended, so its content is still needed. */
export class NotTerminal extends Error {
  override readonly name = "NotTerminal";
  readonly code = "not_terminal";
  constructor(run: string, state: string) {
    super(`run ${run} is ${state}: only a run that has ended can be erased; abandon it first`);
  }
}

/** A cursor that no page of this store answered. */
export class UnknownCursor extends Error {
  override readonly name = "UnknownCursor";
  readonly code = "unknown_cursor";
  constructor(cursor: string) {
    super(`${JSON.stringify(cursor.slice(0, 80))} is no cursor of this store: take the "next" of a page`);
  }
}

/** The store cannot write (or is closed): nothing is accepted until it can. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly code = "store_unavailable";
}
