import { holds, type Envelope, type EventOf } from "../../log/events.js";
import type { RunDesk } from "../../runtime/recorder.js";

/** A model call as a log has it. */
export interface RecordedModelCall {
  readonly intent: EventOf<"ModelCallRequested">["payload"];
  /** Absent while the intent dangles. */
  readonly completion?: EventOf<"ModelCallCompleted">["payload"];
}

/** The model call whose intent stands at a position, or `undefined` when no model intent stands there. */
export async function recordedModelCall(desk: RunDesk, seq: number): Promise<RecordedModelCall | undefined> {
  // By the guard, a completion directly follows its intent.
  const [intent, completion]: readonly Envelope[] = await desk.read(seq, 2);
  if (!holds(intent, "ModelCallRequested")) return undefined;
  if (!holds(completion, "ModelCallCompleted")) return { intent: intent.event.payload };
  return { intent: intent.event.payload, completion: completion.event.payload };
}
