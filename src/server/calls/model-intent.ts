import type { JsonValue } from "../../contract/json.js";
import type { EventOf, Usage } from "../../log/events.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import type { ModelIntentBody } from "../shapes.js";
import { recordedModelCall } from "./recorded-model-call.js";

/** The answer to a model intent. `response` and `usage` are there when the call is settled. */
export interface ModelIntentAnswer {
  readonly seq: number;
  readonly settled: boolean;
  readonly response?: JsonValue;
  readonly usage?: Usage;
}

/**
 * Records a client's intent to call a model (docs/http-api.md, "Model calls"). What identifies the call is its position and
 * the hash of its request; a position that is recorded already is looked at first.
 */
export async function openModelIntent(
  desk: RunDesk,
  { seq, request_hash, request_body }: ModelIntentBody,
): Promise<ModelIntentAnswer> {
  if (seq < desk.state.nextSeq) return recordedAnswer(desk, seq, request_hash);
  const intent: EventOf<"ModelCallRequested"> = {
    kind: "ModelCallRequested",
    payload: {
      seq,
      request_hash,
      ...(request_body !== undefined && (await recordsPrompts(desk)) && { request_body }),
      performed_by: "client",
    },
  };
  await desk.append([intent], {}, seq);
  return { seq, settled: false };
}

async function recordedAnswer(desk: RunDesk, seq: number, hash: string): Promise<ModelIntentAnswer> {
  const where = `position ${seq} of run ${desk.run}`;
  const call = await recordedModelCall(desk, seq);
  if (call === undefined) throw new Divergence(`${where} is recorded and holds no model intent`);
  if (call.intent.performed_by !== "client") {
    throw new Divergence(`${where} holds a model call performed by this server`);
  }
  if (call.intent.request_hash !== hash) {
    throw new Divergence(
      `${where} holds a model call with another request_hash: found ${JSON.stringify(hash)}, recorded ${JSON.stringify(call.intent.request_hash)}`,
    );
  }
  if (call.completion === undefined) return { seq, settled: false };
  const { response, usage } = call.completion;
  return { seq, settled: true, response, usage };
}

/** Whether the run was opened with `record_prompts`. */
export async function recordsPrompts(desk: RunDesk): Promise<boolean> {
  return (await desk.store.readRun(desk.run))?.ownership?.record_prompts ?? false;
}
