import { Readable } from "node:stream";
import type { AppState } from "../app-state.js";
import type { AppContext } from "../context.js";
import { errorFacts } from "../error-facts.js";

export interface StreamOptions {
  /** Whether a server that stops ends it at once: it could go on for ever. Any other is waited for like an answer. */
  readonly endless: boolean;
}

/**
 * Answers with server-sent events. They are made as the reader takes them.
 *
 * @param frames makes them; the signal says that the reader has gone, or that this server stops.
 * @throws ApiError when as many streams are open as may be.
 */
export function answerStream(
  state: AppState,
  ctx: AppContext,
  { endless }: StreamOptions,
  frames: (over: AbortSignal) => AsyncIterable<string>,
): void {
  const over = new AbortController();
  const leave = state.streams.add(() => {
    if (endless) over.abort();
  });
  ctx.res.once("close", () => {
    over.abort();
    leave();
  });
  ctx.set({
    "Content-Type": "text/event-stream",
    // For a proxy that would collect frames before it passes them on.
    "X-Accel-Buffering": "no",
    // The stream is the last thing on its connection, so that a server that stops need not wait for another request.
    Connection: "close",
  });
  ctx.body = Readable.from(logged(state, ctx, frames(over.signal)));
  // A reader learns that it is listening before there is anything to hear.
  ctx.flushHeaders();
}

/** An answer that has begun cannot become an error: the connection breaks, and the reader asks again. */
async function* logged(
  state: AppState,
  ctx: AppContext,
  frames: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  try {
    yield* frames;
  } catch (error) {
    const { requestId: request_id, run: id } = ctx.state;
    state.logger?.error({ request_id, err: errorFacts(error, true), method: ctx.method, run: id });
    ctx.res.destroy();
  }
}
