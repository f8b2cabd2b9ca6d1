import { Readable } from "node:stream";
import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { queryCount, queryParameter, runOf, withRunId, type AppContext, type AppRouter } from "../context.js";
import { followRun } from "../stream/follow-run.js";
import { existingRun } from "./existing-run.js";

/** The events of a run as they become durable, as server-sent events. */
export function runEventRoutes(state: AppState, router: AppRouter): void {
  router.get("/v1/runs/:id/events", withRunId, async (ctx) => {
    const run = runOf(ctx);
    const from = firstWanted(ctx);
    const follow = wantsFollow(ctx);
    await existingRun(state, run);
    // A log that cannot be read is answered as an error as long as that is possible.
    await state.recorder.state(run);

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
    ctx.body = Readable.from(logged(state, ctx, followRun(state, { run, from, follow, gone: gone.signal })));
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
    state.logger?.error({ err: error, method: ctx.method, run: ctx.state.run });
    ctx.res.destroy();
  }
}

/** The position to begin at: behind the last one that the reader has seen, or where it asks to begin. */
function firstWanted(ctx: AppContext): number {
  const last = ctx.get("Last-Event-ID");
  if (last === "") return queryCount(ctx, "from_seq", 0) ?? 0;
  const seq = /^\d+$/.test(last) ? Number(last) : Number.NaN;
  if (seq >= 0) return Math.min(seq, Number.MAX_SAFE_INTEGER - 1) + 1;
  throw new ApiError(
    "bad_request",
    `Last-Event-ID is ${JSON.stringify(last)}, which is no position of a log`,
  );
}

function wantsFollow(ctx: AppContext): boolean {
  const follow = queryParameter(ctx, "follow");
  if (follow === undefined || follow === "0" || follow === "false") return false;
  if (follow === "1" || follow === "true") return true;
  throw new ApiError(
    "bad_request",
    `the query parameter follow is ${JSON.stringify(follow)}; it takes 1 or 0`,
  );
}
