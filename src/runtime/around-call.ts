import type { CallOutcome } from "../contract/dyn-tool.js";
import type { Effect } from "../contract/effect.js";
import type { Failed } from "../contract/perform-call.js";

/** A call that is about to be executed. */
export interface ExecutedCall {
  readonly run: string;
  readonly seq: number;
  readonly tool: string;
  readonly effect: Effect;
}

/**
 * What happens around the execution of a tool, for whoever watches: `execute` must be called once, what it answers
 * answered, and its failure passed on.
 */
export type AroundCall = (
  call: ExecutedCall,
  execute: () => Promise<CallOutcome | Failed>,
) => Promise<CallOutcome | Failed>;
