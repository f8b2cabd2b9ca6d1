import { Readable } from "node:stream";
import type { AppState } from "../app-state.js";
import type { AppContext } from "../context.js";

/**
 * Answers with server-sent events. They are made as the reader takes them.
 *
 * @param frames makes them; the signal says that the reader has gone.
 */
export function answerStream(
  state: AppState,
  ctx: AppContext,
  frames: (gone: AbortSignal) => AsyncIterable<string>,
): void {
  const gone = new AbortController();
  ctx.res.once("close", () => {
    gone.abort();
  });
  ctx.set({
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    // For a proxy that would collect frames before it passes them on.
    "X-Accel-Buffering": "no",
    // The stream is the last thing on its connection, so that a server that stops need not wait for another request.
    Connection: "close",
  });
  ctx.body = Readable.from(logged(state, ctx, frames(gone.signal)));
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
    state.logger?.error({ err: error, method: ctx.method, run: ctx.state.run });
    ctx.res.destroy();
  }
}
