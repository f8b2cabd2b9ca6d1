import { openIdentity, suspendedCall } from "../../runtime/claims.js";
import type { RunDesk } from "../../runtime/recorder.js";
import type { Intent } from "../../log/recorded-call.js";
import { releasing } from "../../store/append-unit.js";
import type { AppendUnit } from "../../store/event-store.js";
import { ApiError } from "../api-error.js";

/**
 * What ending a run does to the identity that its unfinished call holds, which may be one that other runs ask for. An
 * `idempotent` call may be performed again under its key, so its identity is free again; a `write` may not.
 *
 * @param call the call that is open, or that suspended the run.
 * @param settle how somebody gives the call an answer, for the refusal.
 * @throws ApiError `wrong_state` when the call is a `write` whose identity reaches past this run: whoever asks for it would
 *   be refused for ever.
 */
export async function endingOf(desk: RunDesk, call: Intent, settle: string): Promise<AppendUnit> {
  const { seq, tool, effect, idempotency_key: key, performed_by: performer } = call.event.payload;
  // The identity of a client's call names its run, so nobody asks for it once that has ended.
  if (performer === "client") return {};
  const identity = await openIdentity(desk.store, { run: desk.run, seq, key });
  if (identity === undefined) return {};
  if (effect !== "write") return releasing(identity);
  throw new ApiError(
    "wrong_state",
    `the write ${tool} at seq ${seq} holds an identity that other runs ask for: settle it first, at /v1/runs/${desk.run}/${settle}`,
  );
}

/**
 * What a driver's ending its run does to the call that suspended it.
 *
 * @param mayDecide whether the driver may decide what a person decides.
 * @throws ApiError `operator_required` when that call is a `write` and the driver may not: a write that waits for a person
 *   would be out of everybody's sight, without an answer.
 */
export async function endingBySuspended(desk: RunDesk, mayDecide: boolean): Promise<AppendUnit> {
  const call = await suspendedCall(desk);
  if (call === undefined) return {};
  const { seq, tool, effect } = call.event.payload;
  if (effect === "write" && !mayDecide) {
    throw new ApiError(
      "operator_required",
      `the write ${tool} at seq ${seq} waits for a person: the operator resumes the run at /v1/runs/${desk.run}/resume, or abandons it`,
    );
  }
  return endingOf(desk, call, "resume");
}
