import type { AgentRun, ModelReply } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import { answerJson, answeredIn, usageOf, type Said } from "./message-json.js";
import { modelRequest, type ModelAsk } from "./model-request.js";
import { Stops } from "./stops.js";
import { interrupting } from "./waiting.js";

/** A model's answer, as it is recorded. */
export interface RecordedAnswer {
  readonly response: JsonValue;
  /** Whether it was recorded before, and no model was asked. */
  readonly isReplayed: boolean;
}

/**
 * Has a model asked and its answer recorded, or answers what is recorded.
 *
 * @param ask asks the model.
 * @throws LangGraph's interrupt when a call of the run waits for a person. Any other error stops the loop.
 */
export async function recordedAnswer(
  run: AgentRun,
  asked: ModelAsk,
  ask: () => Promise<Said>,
  signal: AbortSignal | undefined,
): Promise<RecordedAnswer> {
  const request = modelRequest(asked);
  const answered = answeredIn(asked.messages);
  Stops.of(run).refuse(answered);
  let isReplayed = true;
  const call = async (): Promise<ModelReply> => {
    isReplayed = false;
    const message = await ask();
    const { input_tokens = 0, output_tokens = 0 } = usageOf(message) ?? {};
    return { response: answerJson(message), usage: { input_tokens, output_tokens } };
  };
  const { response } = await interrupting(() => run.model(request, call, { answered, signal }));
  return { response, isReplayed };
}
