import { NotJson, toPlainJson } from "../../contract/plain-json.js";
import { MAX_BODY_BYTES } from "../layers/body.js";
import type { ModelAnswer } from "./model-executor.js";
import { ModelFailure } from "./model-failure.js";

/**
 * An answer as it can be recorded: plain JSON of which no number was rounded, as large as a client's own report may be.
 *
 * @throws {@link ModelFailure} when it is not.
 */
export function checkAnswer({ response, usage }: ModelAnswer): ModelAnswer {
  const { input_tokens, output_tokens } = usage;
  for (const count of [input_tokens, output_tokens]) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new ModelFailure("the model's answer does not say how many tokens went in and came out");
    }
  }
  const plain = plainResponse(response);
  if (Buffer.byteLength(JSON.stringify(plain)) > MAX_BODY_BYTES) {
    throw new ModelFailure(
      `the model's answer is larger than ${MAX_BODY_BYTES} bytes and cannot be recorded`,
    );
  }
  return { response: plain, usage: { input_tokens, output_tokens } };
}

function plainResponse(response: unknown): ModelAnswer["response"] {
  try {
    return toPlainJson(response);
  } catch (cause) {
    if (!(cause instanceof NotJson)) throw cause;
    throw new ModelFailure("the model's answer holds what JSON cannot carry unchanged", cause.message);
  }
}
