/**
 * The member of `_meta` that names a run. An answer says in it where its call is recorded; a request that says it asks for
 * the call of that run.
 */
export const RUN_META = "salvor.dev/run";

/** The member of an answer's `_meta` that says that nothing was performed for it: it is what is recorded of an earlier request. */
export const REPLAYED_META = "salvor.dev/replayed";

/** The member of an answer's `_meta` that says in which way a call did not end well. */
export const ERROR_META = "salvor.dev/error";
