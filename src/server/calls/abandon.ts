import { isTerminal } from "../../log/fold.js";
import { holds, type RunEvent, type UnresolvedWrite } from "../../log/events.js";
import { openIdentity } from "../../runtime/claims.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError } from "../api-error.js";
import { refuseWhileExecuting } from "./executing.js";
import { judgedSeq } from "./judged-seq.js";
import type { AbandonBody } from "../shapes.js";

/**
 * Ends a run on a person's word. A dangling write is named in the event; one that holds an identity which reaches past
 * this run is settled first, because other runs wait for its answer.
 *
 * @returns the position of `RunAbandoned`.
 */
export async function abandonRun(desk: RunDesk, { seq, reason }: AbandonBody): Promise<number> {
  const { status, pending, nextSeq } = desk.state;
  if (isTerminal(status)) {
    throw new ApiError(
      "wrong_state",
      `run ${desk.run} is ${status.state} already: there is nothing to abandon`,
    );
  }
  if (seq !== undefined && seq !== judgedSeq(desk.state)) {
    throw new ApiError(
      "wrong_state",
      `run ${desk.run} is ${status.state} at seq ${nextSeq - 1}, not waiting at seq ${seq}: read it again before you decide`,
    );
  }
  await refuseWhileExecuting(desk);
  let write: UnresolvedWrite | undefined;
  if (pending?.kind === "tool" && pending.effect === "write") {
    write = { seq: pending.seq, tool: pending.tool };
    if (await reachesPastRun(desk, pending.seq, pending.idempotency_key)) {
      throw new ApiError(
        "wrong_state",
        `the write ${write.tool} at seq ${write.seq} holds an identity that other runs ask for: settle it first, at /v1/runs/${desk.run}/resolve`,
      );
    }
  }
  const event: RunEvent = {
    kind: "RunAbandoned",
    payload: { ...(reason !== undefined && { reason }), ...(write && { unresolved_write: write }) },
  };
  await desk.append([event]);
  return nextSeq;
}

/** The identity of a client's call names its run, so it ends with it; that of a call of this server may not. */
async function reachesPastRun(desk: RunDesk, seq: number, key: string | null): Promise<boolean> {
  const [intent] = await desk.read(seq, 1);
  if (holds(intent, "ToolCallRequested") && intent.event.payload.performed_by === "client") return false;
  return (await openIdentity(desk.store, { run: desk.run, seq, key })) !== undefined;
}
