import type { AppState } from "../app-state.js";
import { modelStep } from "../calls/model-step.js";
import { leaseOf, queryFlag, runOf, withRunId, type AppContext, type AppRouter } from "../context.js";
import { toApiError } from "../error-mapping.js";
import { readJsonBody } from "../layers/body.js";
import { driverOnly } from "../layers/driver.js";
import { MODEL_STEP } from "../shapes.js";
import { answerStream } from "../stream/answer-stream.js";
import { completeFrame, modelFrames } from "../stream/model-frames.js";

/** Model calls that this server makes for a run. */
export function modelStepRoutes(state: AppState, router: AppRouter): void {
  router.post("/v1/client-runs/:id/model-step", withRunId, driverOnly(state), async (ctx) => {
    const body = MODEL_STEP.check(await readJsonBody(ctx));
    const streamed = wantsStream(ctx);
    const step = await modelStep(state, body, { run: runOf(ctx), lease: leaseOf(ctx), streamed });
    if (!streamed) {
      const { response, usage } = step.kind === "recorded" ? step.answer : await step.call.answer;
      ctx.body = { response, usage };
      return;
    }
    if (step.kind === "recorded") {
      const frame = completeFrame(step.answer);
      // eslint-disable-next-line @typescript-eslint/require-await
      answerStream(state, ctx, async function* () {
        yield frame;
      });
      return;
    }
    const { call } = step;
    const { keepAliveMs } = state;
    // A call that fails before it says anything is answered as an error, as long as that is possible.
    await call.begun(keepAliveMs);
    if (call.over && call.reading()() === undefined) await call.answer;
    const failed = (error: unknown): void => {
      logFailure(state, ctx, error);
    };
    answerStream(state, ctx, (gone) => modelFrames(call, { keepAliveMs, gone, failed }));
  });
}

/** A stream has no status to tell the operator of this server by. */
function logFailure(state: AppState, ctx: AppContext, error: unknown): void {
  const { code, cause, status } = toApiError(error);
  if (status >= 500)
    state.logger?.error({ err: cause ?? error, method: ctx.method, run: ctx.state.run, code });
}

function wantsStream(ctx: AppContext): boolean {
  return (
    queryFlag(ctx, "stream") ?? ctx.accepts("application/json", "text/event-stream") === "text/event-stream"
  );
}
