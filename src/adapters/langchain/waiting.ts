import { GraphInterrupt, INTERRUPT, interrupt, isGraphBubbleUp, isInterrupted } from "@langchain/langgraph";
import { waitOf, type RunWait } from "../../client/index.js";

/** The calls that wait for a person, among what a graph was interrupted for. */
export function waitsIn(state: unknown): readonly RunWait[] {
  if (!isInterrupted(state)) return [];
  return state[INTERRUPT].flatMap(({ value }) => (isRunWait(value) ? [value] : []));
}

/**
 * Interrupts the graph for a call that waits for a person. It returns when the graph goes on from this very interrupt: whether the
 * person has acted is then in the log.
 *
 * @throws LangGraph's interrupt. Without a checkpointer too, which LangGraph's own `interrupt` needs: there the graph is
 *   started again, and the log has it go on.
 */
export function interruptFor(wait: RunWait): void {
  try {
    interrupt(wait);
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    throw new GraphInterrupt([{ value: wait }]);
  }
}

/** Does something of a run, and interrupts the graph whenever it waits for a person. */
export async function interrupting<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const wait = waitOf(error);
      if (wait === undefined) throw error;
      interruptFor(wait);
    }
  }
}

/** Ends a task that waits behind one that interrupts: it is done when the graph goes on, and there is nothing to tell of it. */
export function interruptBehind(): never {
  throw new GraphInterrupt([]);
}

function isRunWait(value: unknown): value is RunWait {
  if (typeof value !== "object" || value === null) return false;
  const { kind, runId, seq, tool } = value as Partial<RunWait>;
  return (
    (kind === "reconciliation" || kind === "suspension") &&
    typeof runId === "string" &&
    typeof seq === "number" &&
    typeof tool === "string"
  );
}
