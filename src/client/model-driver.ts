import type { JsonValue } from "../contract/json.js";
import { holds, type EventOf } from "../log/events.js";
import type { CallOptions, ModelReply } from "./client-options.js";
import { hashValue } from "./hash-value.js";
import { plainCopy } from "./json-text.js";
import type { RunCursor } from "./run-cursor.js";
import type { SalvorClient } from "./salvor-client.js";
import { DivergenceError } from "./wire-errors.js";

/** A model call as it is asked for: its request, and what the log knows it by. */
export interface AskedModel {
  readonly request: JsonValue;
  readonly hash: string;
}

/** @throws {@link NotJsonError} when the request is not JSON through and through. */
export function askedModel(request: JsonValue): AskedModel {
  const copy = plainCopy(request, "request of the model");
  return { request: copy, hash: hashValue(copy) };
}

/**
 * Has a model called where a cursor stands, or answers what is recorded of the call. One that was opened and has no answer is
 * made again: a model call has no effect but its cost. The cursor knows the log.
 *
 * @param keepsPrompts whether the request goes along, for a run that records prompts.
 */
export async function callModel(
  client: SalvorClient,
  cursor: RunCursor,
  { request, hash }: AskedModel,
  call: () => Promise<ModelReply>,
  { signal, keepsPrompts }: CallOptions & { readonly keepsPrompts: boolean },
): Promise<ModelReply> {
  const seq = cursor.position;
  const isAsked = ({ payload }: EventOf<"ModelCallRequested">) => payload.request_hash === hash;
  if (cursor.findEvent("ModelCallRequested", isAsked) !== undefined) {
    const completion = cursor.eventAt(seq + 1);
    if (holds(completion, "ModelCallCompleted")) {
      const { response, usage } = completion.event.payload;
      cursor.moveTo(seq + 2);
      return { response, usage };
    }
  }
  cursor.doubt();
  // Also when it is recorded already: the answer says that this driver may still drive.
  const ask = { seq, requestHash: hash, ...(keepsPrompts && { requestBody: request }) };
  try {
    const { settled, response, usage } = await client.modelIntent(cursor.drive, ask, { signal });
    if (settled && response !== undefined && usage !== undefined) {
      cursor.moveBehindOwn(seq + 2);
      return { response, usage };
    }
  } catch (error) {
    if (!(error instanceof DivergenceError)) throw error;
    await cursor.refresh({ signal });
    // What is recorded here instead says more than the refusal.
    cursor.findEvent("ModelCallRequested", isAsked);
    throw error;
  }
  const { response, usage } = await call();
  // What is recorded, so that a program sees the same thing whenever it runs.
  const reply = { response: plainCopy(response, "answer of the model"), usage };
  // Without the caller's signal: an answer that was paid for is recorded, whoever still waits for it.
  await client.modelCompletion(cursor.drive, seq, reply);
  cursor.moveBehindOwn(seq + 2);
  return reply;
}
