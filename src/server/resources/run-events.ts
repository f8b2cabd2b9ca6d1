import { Readable } from "node:stream";
import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { runOf, withRunId, type AppContext, type AppRouter } from "../context.js";
import { FOLLOW, FROM_SEQ } from "../parameters.js";
import { errorFacts } from "../error-facts.js";
import { followRun } from "../stream/follow-run.js";
import { existingRun } from "./existing-run.js";

/** The events of a run as they become durable, as server-sent events. */
export function runEventRoutes(state: AppState, router: AppRouter): void {
  router.get("/v1/runs/:id/events", withRunId, async (ctx) => {
    const run = runOf(ctx);
    const from = firstWanted(ctx);
    const follow = FOLLOW.read(ctx) ?? false;
    await existingRun(state, run);
    // A log that cannot be read is answered as an error as long as that is possible.
    await state.recorder.state(run);

    const over = new AbortController();
    const leave = state.streams.add(() => {
      over.abort();
    });
    ctx.res.once("close", () => {
      over.abort();
      leave();
    });
    ctx.set({
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      // For a proxy that would collect frames before it passes them on.
      "X-Accel-Buffering": "no",
      // The stream is the last thing on its connection, so that a server that stops need not wait for another request.
      Connection: "close",
    });
    ctx.body = Readable.from(logged(state, ctx, followRun(state, { run, from, follow, over: over.signal })));
    // A reader learns that it is listening before there is anything to hear.
    ctx.flushHeaders();
  });
}

/** An answer that has begun cannot become an error: the connection breaks, and the reader asks again from where it was. */
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

/** The position to begin at: behind the last one that the reader has seen, or where it asks to begin. */
function firstWanted(ctx: AppContext): number {
  const last = ctx.get("Last-Event-ID");
  if (last === "") return FROM_SEQ.read(ctx) ?? 0;
  const seq = /^\d+$/.test(last) ? Number(last) : Number.NaN;
  if (seq >= 0) return Math.min(seq, Number.MAX_SAFE_INTEGER - 1) + 1;
  throw new ApiError(
    "bad_request",
    `Last-Event-ID is ${JSON.stringify(last)}, which is no position of a log`,
  );
}
