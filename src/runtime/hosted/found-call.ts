import { isSuspensionOutput } from "../../contract/reserved.js";
import { holds, type Envelope } from "../../log/events.js";
import { jsonEqual } from "../../log/json-equal.js";
import { recordedCall, type RecordedCall } from "../../log/recorded-call.js";
import { Divergence } from "../divergence.js";
import type { AskedCall, FoundCall } from "../replay.js";

/** A call, and what it did to the log, fill so many positions at most. */
export const CALL_EVENTS = 4;

/** A call that is asked for at a position of its run. */
export interface PlacedCall extends AskedCall {
  readonly seq: number;
}

/**
 * What is recorded where a call of this server is asked for: nothing, or this very call.
 *
 * @param events from that position on, {@link CALL_EVENTS} at most.
 * @throws {@link Divergence} when it is another call, one that a client performs, or no call at all.
 */
export function foundCall(run: string, asked: PlacedCall, events: readonly Envelope[]): FoundCall {
  const { seq, tool, input } = asked;
  const where = `position ${seq} of run ${run}`;
  const call = callIn(events, seq);
  if (call.kind === "nothing") return call;
  if (call.kind === "other") {
    const what =
      call.envelope.seq === seq ? `holds ${call.envelope.event.kind}` : "holds a call without an end";
    throw new Divergence(
      `${where} ${what}; the run goes on with ${call.envelope.event.kind} at ${call.envelope.seq}`,
    );
  }
  const recorded = call.intent.event.payload;
  if (recorded.performed_by === "client") {
    throw new Divergence(`${where} holds a call of ${recorded.tool} that a client performs`);
  }
  if (recorded.tool !== tool) {
    throw new Divergence(`${where} holds a call of ${recorded.tool}, not of ${tool}`);
  }
  if (!jsonEqual(recorded.input, input)) {
    throw new Divergence(`${where} holds a call of ${tool} with another input`);
  }
  return call;
}

function callIn(events: readonly Envelope[], seq: number): RecordedCall {
  const call = recordedCall((at) => events[at - seq], seq);
  const [intent, completion] = events;
  // A suspended call whose run has ended since: what is recorded of the call is its suspension.
  if (call.kind !== "other" || !holds(intent, "ToolCallRequested")) return call;
  if (!holds(completion, "ToolCallCompleted")) return call;
  const { output } = completion.event.payload;
  if (!isSuspensionOutput(output)) return call;
  const { reason, input_schema: inputSchema } = output.__salvor_suspend;
  return { kind: "suspended", intent, reason, inputSchema };
}
