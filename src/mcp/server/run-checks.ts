import { jsonEqual } from "../../log/json-equal.js";
import type { Intent, RecordedCall } from "../../log/recorded-call.js";
import { refused } from "./refusals.js";
import type { RunView } from "./run-view.js";
import type { AskedCall, CallReply } from "./served-tools.js";

type OurRun = Extract<RunView, { readonly kind: "ours" }>;

/** Whether a run holds the very call that is asked for. */
export function isOf(view: RunView, asked: AskedCall): view is OurRun {
  return view.kind === "ours" && isSame(view.call, asked);
}

/** Whether a recorded call is of the same tool with the same input. */
export function isSame(call: RecordedCall, { tool, input }: AskedCall): boolean {
  const payload = intentOf(call)?.event.payload;
  return payload?.tool === tool && jsonEqual(payload.input, input);
}

/** Whether a call is recorded as one that did not happen. */
export function isDefiniteFailure(call: RecordedCall): boolean {
  return call.kind === "settled" && call.result.kind === "failure";
}

/** What is answered about a call whose run a person gave up before it had an end, or `undefined` when it has one. */
export function abandoned(run: string, view: RunView): CallReply | undefined {
  if (view.kind !== "ours" || view.status.state !== "abandoned" || view.call.kind === "settled") {
    return undefined;
  }
  const began = view.call.kind === "open" ? " Nobody knows whether it happened." : "";
  return refused(
    "abandoned",
    `run ${run}, in which this call is recorded, was abandoned by a person: it is not performed.${began}`,
  );
}

export function notOfRun(asked: AskedCall, run: string): CallReply {
  return refused(
    "unknown_run",
    `run ${run} holds no call of ${asked.tool} with this input: nothing was performed`,
  );
}

function intentOf(call: RecordedCall): Intent | undefined {
  return call.kind === "nothing" || call.kind === "other" ? undefined : call.intent;
}
