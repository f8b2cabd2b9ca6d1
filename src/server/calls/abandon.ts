import { isTerminal } from "../../log/fold.js";
import { holds, type RunEvent, type UnresolvedWrite } from "../../log/events.js";
import { suspendedCall } from "../../runtime/claims.js";
import type { RunDesk } from "../../runtime/recorder.js";
import type { AppendUnit } from "../../store/event-store.js";
import { ApiError } from "../api-error.js";
import { endingOf } from "./ending.js";
import { refuseWhileExecuting } from "./executing.js";
import { judgedSeq } from "./judged-seq.js";
import type { AbandonBody } from "../shapes.js";

/**
 * Ends a run on a person's word. A dangling write is named in the event; a write, dangling or suspended, that holds an
 * identity which reaches past this run is settled first, because other runs wait for its answer.
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
  }
  const event: RunEvent = {
    kind: "RunAbandoned",
    payload: { ...(reason !== undefined && { reason }), ...(write && { unresolved_write: write }) },
  };
  await desk.append([event], await identityEnding(desk));
  return nextSeq;
}

async function identityEnding(desk: RunDesk): Promise<AppendUnit> {
  const { pending } = desk.state;
  if (pending === null) {
    const suspended = await suspendedCall(desk);
    return suspended === undefined ? {} : endingOf(desk, suspended, "resume");
  }
  const [intent] = await desk.read(pending.seq, 1);
  return holds(intent, "ToolCallRequested") ? endingOf(desk, intent, "resolve") : {};
}
