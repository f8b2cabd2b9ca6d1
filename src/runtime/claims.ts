import type { JsonValue } from "../contract/json.js";
import { isSuspensionOutput } from "../contract/reserved.js";
import { claimOutcome } from "../log/claim-outcome.js";
import { holds, type RunEvent } from "../log/events.js";
import type { Intent } from "../log/recorded-call.js";
import { releasing, settling } from "../store/append-unit.js";
import type { AppendUnit } from "../store/event-store.js";
import type { DeskStore } from "./draft.js";
import type { RunDesk } from "./recorder.js";

/** A call and the key that it was recorded with. */
export interface KeyedCall {
  readonly run: string;
  readonly seq: number;
  readonly key: string | null;
}

/** What a completion does to the identity that its call holds, if it holds one: it travels inside the completion's append. */
export async function claimChange(store: DeskStore, call: KeyedCall, output: JsonValue): Promise<AppendUnit> {
  const identity = await openIdentity(store, call);
  const outcome = claimOutcome(output);
  if (identity === undefined || outcome === "keep") return {};
  return outcome === "settle" ? settling(identity) : releasing(identity);
}

/** The identity that a call holds and has not settled yet, or `undefined`. */
export async function openIdentity(
  store: DeskStore,
  { run, seq, key }: KeyedCall,
): Promise<string | undefined> {
  if (key === null) return undefined;
  const holder = await store.lookupCall(key);
  return holder?.run_id === run && holder.seq === seq && !holder.settled ? key : undefined;
}

/**
 * What resuming does to the identity of a call that suspended the run: what the run is resumed with is that call's answer.
 */
export async function resumption(desk: RunDesk, next: RunEvent | undefined): Promise<AppendUnit> {
  if (next?.kind !== "Resumed") return {};
  const intent = await suspendedCall(desk);
  if (intent === undefined) return {};
  const { seq, idempotency_key: key } = intent.event.payload;
  const identity = await openIdentity(desk.store, { run: desk.run, seq, key });
  return identity === undefined ? {} : settling(identity);
}

/** The intent of the call that the run is suspended by, or `undefined` when no call suspends it. */
export async function suspendedCall(desk: RunDesk): Promise<Intent | undefined> {
  const { status, nextSeq } = desk.state;
  if (status.state !== "suspended" || nextSeq < 3) return undefined;
  // By the guard, a call's suspension follows its completion, and that its intent.
  const [intent, completion] = await desk.read(nextSeq - 3, 2);
  if (!holds(intent, "ToolCallRequested") || !holds(completion, "ToolCallCompleted")) return undefined;
  return isSuspensionOutput(completion.event.payload.output) ? intent : undefined;
}
