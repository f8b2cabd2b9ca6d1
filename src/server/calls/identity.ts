import { isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ClientToolDeclaration } from "../../declarations/declared-tool.js";
import { claimOutcome } from "../../log/claim-outcome.js";
import { attemptKey, contentKey, MissingKeyField } from "../../log/keys.js";
import type { DeskStore } from "../../runtime/draft.js";
import { releasing, settling } from "../../store/append-unit.js";
import type { AppendUnit } from "../../store/event-store.js";
import { ApiError } from "../api-error.js";

/** The key of a new call, and whether holding it keeps the same call from being performed again. */
export interface CallIdentity {
  readonly key: string;
  readonly exclusive: boolean;
}

/**
 * Derives the key of a new client call from what the operator declared. What the client says about keys plays no part.
 *
 * @throws ApiError `bad_request` naming a key field that is not an own property of the input.
 */
export function identityOf(
  { name, effect, idempotency_key: fields }: ClientToolDeclaration,
  run: string,
  seq: number,
  input: JsonValue,
): CallIdentity {
  if (fields.length === 0) return { key: attemptKey(run, seq, name), exclusive: false };
  try {
    // A read is never answered from an older call, so it holds nothing.
    return {
      key: contentKey(run, name, fields, isJsonObject(input) ? input : {}),
      exclusive: effect !== "read",
    };
  } catch (error) {
    if (error instanceof MissingKeyField) throw new ApiError("bad_request", error.message, { cause: error });
    throw error;
  }
}

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
