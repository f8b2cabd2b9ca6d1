import type { JsonValue } from "../../contract/json.js";
import { jsonEqual } from "../../log/json-equal.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError } from "../api-error.js";
import type { ModelCompletionBody } from "../shapes.js";
import type { CompletionAnswer } from "./completion.js";
import { recordedModelCall } from "./recorded-model-call.js";

/**
 * Records what a model answered a client (docs/http-api.md, "Model calls"). An answer that is recorded already is
 * recognised first.
 */
export async function completeModelCall(
  desk: RunDesk,
  { seq, response, usage }: ModelCompletionBody,
): Promise<CompletionAnswer> {
  // Only what the contract names is counted and kept of the usage.
  const { input_tokens, output_tokens } = usage;
  const payload = { seq, response, usage: { input_tokens, output_tokens } };
  const call = seq < desk.state.nextSeq ? await recordedModelCall(desk, seq) : undefined;
  if (call?.completion !== undefined) {
    if (jsonEqual(call.completion as unknown as JsonValue, payload)) return { seq, completed: true };
    throw new Divergence(`the model call at seq ${seq} of run ${desk.run} is completed with another content`);
  }
  if (call === undefined || seq !== desk.state.nextSeq - 1) {
    throw new Divergence(
      `run ${desk.run} does not end at a model intent with seq ${seq}: its next position is ${desk.state.nextSeq} and it is ${desk.state.status.state}`,
    );
  }
  if (call.intent.performed_by !== "client") {
    throw new ApiError(
      "client_completion_refused",
      `the model call at seq ${seq} is performed by this server: no client reports on it`,
    );
  }
  await desk.append([{ kind: "ModelCallCompleted", payload }]);
  return { seq, completed: true };
}
