import { randomUUID } from "node:crypto";
import { envelopeJson } from "../../log/envelope-json.js";
import type { Envelope } from "../../log/events.js";
import { parseRunId } from "../../log/run-id.js";
import { ApiError, unknownRun } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { appendEvents } from "../calls/append-events.js";
import { completeCall } from "../calls/completion.js";
import { openIntent } from "../calls/intent.js";
import { completeModelCall } from "../calls/model-completion.js";
import { openModelIntent } from "../calls/model-intent.js";
import { applySteps } from "../calls/steps.js";
import { resolveCall } from "../calls/resolve.js";
import { leaseOf, runOf, withRunId, type AppContext, type AppRouter } from "../context.js";
import { isRandomValueInBody, readEnvelope } from "../event-body.js";
import { operatorOnly } from "../layers/bearer.js";
import { readJsonBody, readJudgedBody } from "../layers/body.js";
import { driverOnly } from "../layers/driver.js";
import { FROM_SEQ } from "../parameters.js";
import {
  COMPLETION,
  EVENTS,
  INTENT,
  MODEL_COMPLETION,
  MODEL_INTENT,
  OPEN,
  RESOLVE,
  STEPS,
  type OpenBody,
} from "../shapes.js";
import { inStep, isRandomValueInSteps, readSteps, resumes } from "../step-body.js";
import { hashSecret, newDriveToken } from "../tokens.js";
import { deciderOf } from "./decider.js";

/** Runs that a client drives in its own process. */
export function clientRunRoutes(state: AppState, router: AppRouter): void {
  const driver = driverOnly(state);

  router.post("/v1/client-runs", async (ctx) => {
    await open(state, ctx, OPEN.check(await readJsonBody(ctx)));
  });

  router.get("/v1/client-runs/:id/log", withRunId, async (ctx) => {
    const run = runOf(ctx);
    const from = FROM_SEQ.read(ctx) ?? 0;
    const record = await state.store.readRun(run);
    if (record?.ownership === undefined || record.erased) throw unknownRun(run);
    answerJson(ctx, `{"log":${logJson(await state.store.readLog(run, from))}}`);
  });

  router.post("/v1/client-runs/:id/events", withRunId, driver, async (ctx) => {
    const body = EVENTS.check(await readJsonBody(ctx, { u64At: isRandomValueInBody }));
    const stamp = state.recorder.stamp();
    const envelopes = body.events.map((event, at) => readEnvelope(event, `events[${at}]`, stamp));
    if (envelopes.some(({ event }) => event.kind === "Resumed")) requireOperator(state, ctx);
    const appended = await state.recorder.within(runOf(ctx), leaseOf(ctx), (desk) =>
      appendEvents(desk, envelopes, mayDecide(state, ctx)),
    );
    ctx.body = { appended };
  });

  router.post("/v1/client-runs/:id/client-tool-intent", withRunId, driver, async (ctx) => {
    const body = INTENT.check(await readJudgedBody(ctx));
    // Any other name is the caller's own text, which no log holds.
    if (state.clientTools.get(body.tool) !== undefined) ctx.state.tool = body.tool;
    ctx.body = await state.recorder.within(runOf(ctx), leaseOf(ctx), (desk) =>
      openIntent(desk, state.clientTools, body),
    );
  });

  router.post("/v1/client-runs/:id/client-tool-completion", withRunId, driver, async (ctx) => {
    const body = COMPLETION.check(await readJudgedBody(ctx));
    ctx.body = await state.recorder.within(runOf(ctx), leaseOf(ctx), (desk) =>
      completeCall(desk, state.clientTools, body),
    );
  });

  router.post("/v1/client-runs/:id/client-model-intent", withRunId, driver, async (ctx) => {
    const body = MODEL_INTENT.check(await readJsonBody(ctx));
    ctx.body = await state.recorder.within(runOf(ctx), leaseOf(ctx), (desk) => openModelIntent(desk, body));
  });

  router.post("/v1/client-runs/:id/client-model-completion", withRunId, driver, async (ctx) => {
    const body = MODEL_COMPLETION.check(await readJsonBody(ctx));
    ctx.body = await state.recorder.within(runOf(ctx), leaseOf(ctx), (desk) => completeModelCall(desk, body));
  });

  router.post("/v1/client-runs/:id/steps", withRunId, driver, async (ctx) => {
    const steps = readSteps(STEPS.check(await readJsonBody(ctx, { u64At: isRandomValueInSteps })).steps);
    for (const [at, step] of steps.entries()) {
      if (!resumes(step)) continue;
      inStep(at, () => {
        requireOperator(state, ctx);
      });
    }
    const results = await state.recorder.within(runOf(ctx), leaseOf(ctx), (desk) =>
      applySteps(desk, state.clientTools, steps, mayDecide(state, ctx)),
    );
    ctx.body = { results };
  });

  router.post("/v1/client-runs/:id/resolve", withRunId, driver, operatorOnly(state), async (ctx) => {
    const body = RESOLVE.check(await readJudgedBody(ctx));
    const run = runOf(ctx);
    await state.recorder.within(run, leaseOf(ctx), (desk) =>
      resolveCall(desk, state.clientTools, body, deciderOf(state, ctx)),
    );
    ctx.body = { run, resolved: true };
  });
}

async function open(state: AppState, ctx: AppContext, body: OpenBody): Promise<void> {
  const run = body.run_id === undefined ? randomUUID() : parseRunId(body.run_id);
  if (run === undefined) throw new ApiError("bad_request", "run_id is not a hyphenated UUID");
  const token = newDriveToken();
  const { fresh, log } = await state.recorder.within(run, undefined, async (desk) => {
    const opened = await state.store.openRun(run, hashSecret(token), {
      kind: "client",
      record_prompts: body.record_prompts ?? false,
      ...(body.agent !== undefined && { agent: body.agent }),
    });
    return { ...opened, log: await desk.read(0) };
  });
  state.drivers.seen(run);
  ctx.status = fresh ? 201 : 200;
  answerJson(ctx, `{"run":"${run}","drive_token":"${token}","log":${logJson(log)}}`);
}

/** Whether whoever asks may decide what a person decides. */
function mayDecide(state: AppState, ctx: AppContext): boolean {
  return state.operatorTokenHash === undefined || ctx.state.operatorPresented;
}

function requireOperator(state: AppState, ctx: AppContext): void {
  if (mayDecide(state, ctx)) return;
  throw new ApiError(
    "operator_required",
    "only the operator resumes a run here: POST /v1/runs/{id}/resume with its token",
  );
}

function logJson(log: readonly Envelope[]): string {
  return `[${log.map(envelopeJson).join(",")}]`;
}

function answerJson(ctx: AppContext, text: string): void {
  ctx.type = "application/json";
  ctx.body = text;
}
