import { MAX_MESSAGE_BYTES } from "./limits.js";

/**
 * `fetch`, with bodies that have an end: one of JSON is refused beyond {@link MAX_MESSAGE_BYTES}, an event stream when one
 * event of it is larger.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  const body = response.body.pipeThrough(bounded(isStream));
  return new Response(body, response);
}

function bounded(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let wasLineEnd = false;
  return new TransformStream({
    transform(chunk, controller) {
      for (let from = 0; isStream && from < chunk.length;) {
        const end = chunk.indexOf(10, from);
        // An empty line ends an event.
        if (end === from && wasLineEnd) length = 0;
        wasLineEnd = end !== -1;
        from = end === -1 ? chunk.length : end + 1;
      }
      length += chunk.length;
      if (length <= MAX_MESSAGE_BYTES) controller.enqueue(chunk);
      else controller.error(new RangeError(`a message of more than ${MAX_MESSAGE_BYTES} bytes`));
    },
  });
}
