import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { runOf, withRunId, type AppContext, type AppRouter } from "../context.js";
import { FOLLOW, FROM_SEQ } from "../parameters.js";
import { answerStream } from "../stream/answer-stream.js";
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

    answerStream(state, ctx, { endless: true }, (over) => followRun(state, { run, from, follow, over }));
  });
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
