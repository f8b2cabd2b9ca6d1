import type { JsonValue } from "../../contract/json.js";
import { hashValue } from "../../log/canonical-json.js";
import type { RunEvent } from "../../log/events.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { logThrown } from "../log-thrown.js";
import { checkAnswer } from "../model/check-answer.js";
import type { ModelCall } from "../model/model-call.js";
import type { ModelAnswer, ModelExecutor } from "../model/model-executor.js";
import { ModelFailure } from "../model/model-failure.js";
import type { ModelStepBody } from "../shapes.js";
import { recordsPrompts } from "./model-intent.js";
import { recordedModelCall } from "./recorded-model-call.js";

/** A model call that is recorded, or being made. */
export type ModelStep =
  | { readonly kind: "recorded"; readonly answer: ModelAnswer }
  | { readonly kind: "running"; readonly call: ModelCall };

export interface ModelStepOptions {
  readonly run: string;
  /** Hash of the drive token that was presented. */
  readonly lease: string;
  /** Whether whoever asks wants to hear the model while it answers. */
  readonly streamed: boolean;
}

/**
 * Calls a model for a run (docs/http-api.md, "Model step"). What is recorded at the position is looked at first; then the
 * intent is recorded and the call made, outside the run's queue. It goes on and is recorded whoever waits for it.
 */
export async function modelStep(
  state: AppState,
  { seq, request }: ModelStepBody,
  { run, lease, streamed }: ModelStepOptions,
): Promise<ModelStep> {
  const hash = hashValue(request);
  return state.recorder.within(run, lease, async (desk) => {
    const isNew = seq >= desk.state.nextSeq;
    const recorded = isNew ? undefined : await recordedAnswer(desk, seq, hash);
    if (recorded !== undefined) return { kind: "recorded", answer: recorded };
    const executor = state.modelExecutor;
    if (executor === undefined) throw noExecutor();
    if (isNew) {
      const intent: RunEvent = {
        kind: "ModelCallRequested",
        payload: { seq, request_hash: hash, ...((await recordsPrompts(desk)) && { request_body: request }) },
      };
      await desk.append([intent], {}, seq);
    }
    // Before anybody else may look at the run: who asks again finds the call.
    const call = state.modelCalls.join(run, seq, async (making) => {
      const answer = await ask(state, executor, request, making, streamed);
      return record(state, run, seq, answer);
    });
    return { kind: "running", call };
  });
}

/** The answer that is recorded for a request, or `undefined` while its intent dangles at the end of the log. */
async function recordedAnswer(desk: RunDesk, seq: number, hash: string): Promise<ModelAnswer | undefined> {
  const where = `position ${seq} of run ${desk.run}`;
  const found = await recordedModelCall(desk, seq);
  if (found === undefined) throw new Divergence(`${where} is recorded and holds no model call`);
  const { intent, completion } = found;
  if (intent.request_hash !== hash) {
    throw new Divergence(
      `${where} holds a model call with another request: found ${hash}, recorded ${intent.request_hash}`,
    );
  }
  if (completion !== undefined) return { response: completion.response, usage: completion.usage };
  if (seq !== desk.state.nextSeq - 1) throw new Divergence(givenUp(desk, seq));
  if (intent.performed_by === "client") {
    throw new Divergence(
      `${where} holds a model call that a client makes: it reports the answer, at /v1/client-runs/${desk.run}/client-model-completion`,
    );
  }
  return undefined;
}

/** Makes the call. What is thrown tells whoever asked, and this server's log, no more than each of them may know. */
async function ask(
  state: AppState,
  executor: ModelExecutor,
  request: JsonValue,
  call: ModelCall,
  streamed: boolean,
): Promise<ModelAnswer> {
  try {
    const { signal } = call;
    const onDelta = call.say.bind(call);
    return checkAnswer(await executor.call(request, { signal, ...(streamed && { onDelta }) }));
  } catch (error) {
    if (state.logPayloads && state.logger !== undefined) {
      logThrown(state.logger, error, "a model call failed", { told: true });
    }
    const failure = error instanceof ModelFailure ? error : unforeseen(error);
    throw new ApiError("model_execution", failure.told, { cause: failure });
  }
}

/** An executor's own error may quote the request, the answer or a key. */
function unforeseen(error: unknown): ModelFailure {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return new ModelFailure(`the model executor of this server failed (${name})`);
}

/** Records an answer if its intent is still open. Another answer that was recorded meanwhile is the one that counts. */
async function record(state: AppState, run: string, seq: number, answer: ModelAnswer): Promise<ModelAnswer> {
  const drop = (reason: string): void => {
    state.logger?.warn({ run, seq, reason }, "a model's answer came too late and was dropped");
  };
  return state.recorder.within(run, undefined, async (desk) => {
    const completion = (await recordedModelCall(desk, seq))?.completion;
    if (completion !== undefined) {
      drop("another answer is recorded");
      return { response: completion.response, usage: completion.usage };
    }
    if (seq !== desk.state.nextSeq - 1) {
      drop(`the run is ${desk.state.status.state}`);
      throw new Divergence(givenUp(desk, seq));
    }
    await desk.append([{ kind: "ModelCallCompleted", payload: { seq, ...answer } }]);
    return answer;
  });
}

function givenUp({ run, state }: RunDesk, seq: number): string {
  return `run ${run} is ${state.status.state}: the model call at seq ${seq} has no answer, and none can be recorded any more`;
}

function noExecutor(): ApiError {
  return new ApiError(
    "model_executor_unavailable",
    "this server calls no models: start it with ANTHROPIC_API_KEY, or call the model yourself and record it with client-model-intent",
  );
}
