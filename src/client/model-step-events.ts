import type { JsonValue } from "../contract/json.js";
import { JsonSyntaxError } from "../log/json-syntax-error.js";
import { parseJson } from "../log/parse-json.js";
import type { ModelDelta } from "./answers.js";
import type { ModelReply } from "./client-options.js";
import { retryDelay } from "./retry.js";
import { SalvorError } from "./salvor-error.js";
import { OBJECT, ShapeProblem, TEXT, shaped } from "./shape.js";
import { nameOf, openStream } from "./stream-transport.js";
import type { StreamFrame } from "./stream-frames.js";
import { ANSWER_DEPTH, type TransportSettings, type WireRequest } from "./transport.js";
import { TransportError, UnexpectedAnswerError } from "./transport-error.js";
import { wait } from "./wait.js";

/** What a streamed model step brings: what the model says, and in the end what is recorded. */
export type ModelStepEvent = ModelDelta | ({ readonly type: "complete" } & ModelReply);

/** The events of a streamed model step. The request is sent again only while nothing was heard. */
export async function* modelStepEvents(
  request: WireRequest<ModelReply>,
  settings: TransportSettings,
): AsyncGenerator<ModelStepEvent, void> {
  const name = nameOf(request);
  for (let attempt = 1, begun = false; ; attempt += 1) {
    try {
      for await (const frame of openStream(request, settings)) {
        begun = true;
        const event = eventOf(name, frame, request.read);
        if (event === undefined) continue;
        yield event;
        if (event.type === "complete") return;
      }
      throw new TransportError(name, new Error("the stream ended before the answer was complete"));
    } catch (error) {
      request.signal?.throwIfAborted();
      const delay = begun ? undefined : retryDelay(error, attempt, settings);
      if (delay === undefined) throw error;
      await wait(delay, request.signal);
    }
  }
}

/** @returns `undefined` for a frame of a kind that this client does not know. */
function eventOf(
  name: string,
  { event, data }: StreamFrame,
  readReply: WireRequest<ModelReply>["read"],
): ModelStepEvent | undefined {
  try {
    const value = parseJson(data, { maxDepth: ANSWER_DEPTH });
    if (event === "delta") return shaped(value, "delta", { type: TEXT }) as unknown as ModelDelta;
    if (event === "complete") {
      shaped(value, "answer", { usage: OBJECT });
      const { response, usage } = readReply(value, 200);
      return { type: "complete", response, usage };
    }
    if (event === "error") throw new SalvorError(messageIn(value), { code: "model_execution" });
    return undefined;
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError || cause instanceof ShapeProblem)) throw cause;
    throw new UnexpectedAnswerError(name, 200, cause.message, cause);
  }
}

function messageIn(value: JsonValue): string {
  return shaped(value, "error", { message: TEXT })["message"] as string;
}
