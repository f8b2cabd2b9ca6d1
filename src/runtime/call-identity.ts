import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import { MissingIdempotencyKey } from "../contract/tool-errors.js";
import type { CallPosition } from "../log/events.js";
import { jsonEqual } from "../log/json-equal.js";
import { attemptKey } from "../log/keys.js";
import { recordedCall } from "../log/recorded-call.js";
import type { CallHolder } from "../store/event-store.js";
import { CallInFlight, IdempotencyKeyCollision } from "./call-errors.js";
import { Divergence } from "./divergence.js";
import type { DeskStore } from "./draft.js";
import type { AskedCall } from "./replay.js";

/** The key of a new call, and whether it is an identity: held while the call is open, and answered for good by its answer. */
export interface CallIdentity {
  readonly key: string;
  readonly exclusive: boolean;
}

/**
 * Derives the key of a call. One that the tool declares names the call across runs; else it names this attempt and no other.
 * A `read` is never answered from an older call, so it holds nothing.
 *
 * @throws {@link MissingIdempotencyKey} when the tool declares a key and the input does not yield one.
 */
export function identityOf(tool: DynTool, run: string, seq: number, input: JsonValue): CallIdentity {
  if (tool.idempotencyKey === undefined) return { key: attemptKey(run, seq, tool.name), exclusive: false };
  const key: unknown = tool.idempotencyKey(input);
  if (typeof key !== "string" || key === "" || !key.isWellFormed()) {
    throw new MissingIdempotencyKey(tool.name, "must be a non-empty string of whole characters");
  }
  return { key, exclusive: tool.effect !== "read" };
}

/** An answer that another call has, and which. */
export interface SettledElsewhere {
  readonly output: JsonValue;
  readonly from: CallPosition;
}

/**
 * What the call that holds an identity answered.
 *
 * @throws {@link IdempotencyKeyCollision} when it was asked with another input.
 * @throws {@link CallInFlight} while it has no answer.
 * @throws {@link Divergence} when its answer was erased.
 */
export async function answerOf(
  store: DeskStore,
  holder: CallHolder,
  key: string,
  { tool, input }: AskedCall,
): Promise<SettledElsewhere> {
  const from = { run_id: holder.run_id, seq: holder.seq };
  const events = await store.readLog(holder.run_id, holder.seq, 4);
  const call = recordedCall((seq) => events[seq - holder.seq], holder.seq);
  if (call.kind === "nothing" || call.kind === "other") {
    if (!holder.settled) throw new CallInFlight(tool, key, from);
    throw Divergence.ofHolder(
      `the call of ${tool} under the key ${key} was settled as call ${from.seq} of run ${from.run_id}, whose answer is no ` +
        "longer there: it cannot be copied, and the call is not performed again",
      from,
    );
  }
  const recorded = call.intent.event.payload;
  if (recorded.tool !== tool || !jsonEqual(recorded.input, input)) {
    throw new IdempotencyKeyCollision(tool, key, from, recorded.input, input);
  }
  if (!holder.settled || call.kind !== "settled") throw new CallInFlight(tool, key, from);
  const { result } = call;
  return { output: result.kind === "output" ? result.output : { __salvor_error: result.failure }, from };
}
