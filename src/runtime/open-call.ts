import type { JsonSchema } from "../contract/json.js";
import type { EventOf, RunEvent } from "../log/events.js";
import { claiming } from "../store/append-unit.js";
import { Conflict } from "../store/errors.js";
import type { CallHolder } from "../store/event-store.js";
import { answerOf, type CallIdentity, type SettledElsewhere } from "./call-identity.js";
import type { RunDesk } from "./recorder.js";
import type { AskedCall } from "./replay.js";

/**
 * Opens a call: its intent and the identity that it holds, as one append. When another call has settled that identity, its
 * answer is copied in the same append, and nothing is to be performed.
 *
 * @returns what was copied.
 * @throws `CallInFlight` while the call that holds the identity is open; nothing is recorded.
 * @throws `IdempotencyKeyCollision` when that call has another input; nothing is recorded.
 */
export async function openCall(
  desk: RunDesk,
  intent: EventOf<"ToolCallRequested">,
  { key, exclusive }: CallIdentity,
): Promise<SettledElsewhere | undefined> {
  const { seq, tool, input } = intent.payload;
  if (!exclusive) {
    await desk.append([intent], {}, seq);
    return undefined;
  }
  const holder = (await desk.store.lookupCall(key)) ?? (await claim(desk, intent, key));
  if (holder === undefined) return undefined;
  const settled = await answerOf(desk.store, holder, key, { tool, input });
  await copyAnswer(desk, [intent], seq, settled);
  return settled;
}

/** The answer to an open call that another call has given meanwhile, or `undefined` when the open call holds its identity itself. */
export async function answeredElsewhere(
  desk: RunDesk,
  seq: number,
  key: string,
  asked: AskedCall,
): Promise<SettledElsewhere | undefined> {
  const holder = await desk.store.lookupCall(key);
  if (holder === undefined || (holder.run_id === desk.run && holder.seq === seq)) return undefined;
  return answerOf(desk.store, holder, key, asked);
}

/** Records that another call's answer is that of the call at `seq`. */
export async function copyAnswer(
  desk: RunDesk,
  intent: readonly RunEvent[],
  seq: number,
  { output, from }: SettledElsewhere,
): Promise<void> {
  const copy: RunEvent = { kind: "ToolCallCompleted", payload: { seq, output, deduplicated_from: from } };
  await desk.append([...intent, copy], {}, intent.length === 0 ? seq + 1 : seq);
}

/** Makes a log whole that was cut between a suspended call and its suspension. */
export async function completeSuspension(
  desk: RunDesk,
  seq: number,
  suspension: { readonly reason: string; readonly inputSchema: JsonSchema },
): Promise<void> {
  if (desk.state.nextSeq !== seq + 2) return;
  const { reason, inputSchema: input_schema } = suspension;
  await desk.append([{ kind: "Suspended", payload: { reason, input_schema } }]);
}

/** Opens a call under an identity; answers who holds it, when somebody was faster. */
async function claim(
  desk: RunDesk,
  intent: EventOf<"ToolCallRequested">,
  identity: string,
): Promise<CallHolder | undefined> {
  const { seq } = intent.payload;
  try {
    await desk.append([intent], claiming(identity, seq), seq);
    return undefined;
  } catch (error) {
    if (error instanceof Conflict && error.holder !== undefined) return error.holder;
    throw error;
  }
}
