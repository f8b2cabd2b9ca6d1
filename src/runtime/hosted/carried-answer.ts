import type { Continuation, DynTool } from "../../contract/dyn-tool.js";
import type { JsonValue } from "../../contract/json.js";
import { jsonEqual } from "../../log/json-equal.js";
import { Divergence } from "../divergence.js";
import type { RunDesk } from "../recorder.js";
import type { HostedCall } from "./plan-call.js";

/**
 * Holds an answer that a call carries against the log: only what the run was resumed with, after the same call was suspended,
 * may be carried. Whoever drives the run writes the input, and must not be able to answer for a person.
 *
 * @throws {@link Divergence} when nobody gave that answer to that call in this run; nothing is recorded.
 */
export async function requireGivenAnswer(
  desk: RunDesk,
  tool: DynTool,
  { seq, input }: HostedCall,
): Promise<void> {
  const carried = tool.continues?.(input);
  if (carried === undefined || (await wasGiven(desk, tool, carried))) return;
  throw new Divergence(
    `the input of ${tool.name} at seq ${seq} of run ${desk.run} carries an answer that the run was never resumed with for this call: ` +
      "call it without the answer, let the run be resumed, and carry what it was resumed with",
  );
}

async function wasGiven(desk: RunDesk, tool: DynTool, { input, answer }: Continuation): Promise<boolean> {
  const callOf = (recorded: JsonValue): JsonValue => tool.continues?.(recorded)?.input ?? recorded;
  /** Whether the call that was asked for last is the one that the answer has to be for. */
  let isThatCall = false;
  for (const { event } of await desk.read(0)) {
    if (event.kind === "ToolCallRequested")
      isThatCall = event.payload.tool === tool.name && jsonEqual(callOf(event.payload.input), input);
    if (event.kind === "Resumed" && isThatCall && jsonEqual(event.payload.input, answer)) return true;
  }
  return false;
}
