import type { AppState } from "../app-state.js";
import { modelStep } from "../calls/model-step.js";
import { leaseOf, runOf, withRunId, type AppContext, type AppRouter } from "../context.js";
import { refusalFacts } from "../error-facts.js";
import { toApiError } from "../error-mapping.js";
import { readJsonBody } from "../layers/body.js";
import { driverOnly } from "../layers/driver.js";
import { STREAM } from "../parameters.js";
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
      answerStream(state, ctx, { endless: false }, async function* () {
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
    answerStream(state, ctx, { endless: false }, (gone) => modelFrames(call, { keepAliveMs, gone, failed }));
  });
}

/** A stream has no status to tell the operator of this server by. */
function logFailure(state: AppState, ctx: AppContext, error: unknown): void {
  const refusal = toApiError(error);
  const { requestId: request_id, run } = ctx.state;
  if (refusal.status < 500) return;
  const err = refusalFacts(refusal, state.logPayloads);
  state.logger?.error({ request_id, err, method: ctx.method, run, code: refusal.code });
}

function wantsStream(ctx: AppContext): boolean {
  return STREAM.read(ctx) ?? ctx.accepts("application/json", "text/event-stream") === "text/event-stream";
}
