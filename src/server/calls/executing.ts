import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError } from "../api-error.js";

/**
 * Refuses a decision about a call that a server is performing: what comes of it would contradict the decision.
 *
 * @throws ApiError `wrong_state`.
 */
export async function refuseWhileExecuting({ run, state, store }: RunDesk): Promise<void> {
  const { pending } = state;
  if (pending?.kind !== "tool" || (await store.execution(run))?.seq !== pending.seq) return;
  throw new ApiError(
    "wrong_state",
    `run ${run} is executing ${pending.tool} at seq ${pending.seq} right now: wait until that has ended, and read the run again`,
  );
}
