import type { JsonValue } from "../../contract/json.js";
import { isSuspensionOutput } from "../../contract/reserved.js";
import { holds, type Envelope, type EventOf } from "../../log/events.js";
import type { DeskStore } from "../../runtime/draft.js";

/** A tool call as a log has it. */
export interface RecordedCall {
  readonly intent: Envelope<EventOf<"ToolCallRequested">>;
  /** Absent while the intent dangles. */
  readonly completion?: Envelope<EventOf<"ToolCallCompleted">>;
  /**
   * The call's result as the one who asked gets it: what was recorded, or, for a call that was suspended and resumed, what
   * it was resumed with. Absent while the intent dangles.
   */
  readonly result?: JsonValue;
}

/** The call whose intent stands at a position, or `undefined` when no tool intent stands there. */
export async function recordedCall(
  store: DeskStore,
  run: string,
  seq: number,
): Promise<RecordedCall | undefined> {
  // By the guard, a completion directly follows its intent, a call's suspension its completion, and the resumption that.
  const [intent, completion, , resumed] = await store.readLog(run, seq, 4);
  if (!holds(intent, "ToolCallRequested")) return undefined;
  if (!holds(completion, "ToolCallCompleted")) return { intent };
  const { output } = completion.event.payload;
  const result =
    isSuspensionOutput(output) && holds(resumed, "Resumed") ? resumed.event.payload.input : output;
  return { intent, completion, result };
}
