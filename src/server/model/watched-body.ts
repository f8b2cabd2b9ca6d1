import { MAX_BODY_BYTES } from "../layers/body.js";
import { ModelFailure } from "./model-failure.js";

/** The most bytes of an answer that are read: a stream wraps each few characters of it in a frame. */
const MAX_ANSWER_BYTES = 8 * MAX_BODY_BYTES;

/** A response whose body fails when it is silent for so long, or larger than any answer that could be recorded. */
export function watched(response: Response, silenceMs: number): Response {
  const { body, status, headers } = response;
  if (body === null) throw new ModelFailure("the provider answered without a body");
  let silence: NodeJS.Timeout | undefined;
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const end = (controller: ReadableStreamDefaultController<Uint8Array>, problem: ModelFailure): void => {
    clearTimeout(silence);
    controller.error(problem);
    // What it says to that is of no use any more.
    reader.cancel(problem).catch(() => undefined);
  };
  const watchedBody = new ReadableStream<Uint8Array>({
    async pull(controller) {
      silence = setTimeout(() => {
        end(controller, new ModelFailure(`the provider was silent for ${silenceMs} ms within its answer`));
      }, silenceMs);
      const { done, value } = await reader.read().finally(() => {
        clearTimeout(silence);
      });
      if (done) {
        controller.close();
        return;
      }
      size += value.length;
      if (size > MAX_ANSWER_BYTES) {
        end(controller, new ModelFailure("the provider's answer is too large to be recorded"));
        return;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(watchedBody, { status, headers });
}
