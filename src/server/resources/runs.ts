import { isTerminal } from "../../log/fold.js";
import type { RunSummary } from "../../store/event-store.js";
import type { AppState } from "../app-state.js";
import { abandonRun } from "../calls/abandon.js";
import { resolveCall } from "../calls/resolve.js";
import { resumeRun } from "../calls/resume.js";
import { runOf, withRunId, type AppRouter } from "../context.js";
import { operatorOnly } from "../layers/bearer.js";
import { readJsonBody, readJudgedBody } from "../layers/body.js";
import { ABANDON, RESOLVE, RESUME } from "../shapes.js";
import { deciderOf } from "./decider.js";
import { existingRun } from "./existing-run.js";
import { listQuery, pageOf } from "./run-list.js";

/** Every run of this server: reading, and what a person decides. */
export function runRoutes(state: AppState, router: AppRouter): void {
  const operator = operatorOnly(state);

  router.get("/v1/runs", async (ctx) => {
    const { runs, next } = await pageOf(state, listQuery(ctx));
    ctx.body = { runs: runs.map((run) => listItem(state, run)), ...(next !== undefined && { next }) };
  });

  router.get("/v1/runs/:id", withRunId, async (ctx) => {
    const run = runOf(ctx);
    const summary = await existingRun(state, run);
    const log = await state.recorder.state(run);
    const reports = (await state.store.readRun(run))?.refusedReports ?? [];
    ctx.body = {
      run,
      status: log.status,
      event_count: log.nextSeq,
      first_recorded_at: summary.firstRecordedAt,
      last_recorded_at: summary.lastRecordedAt,
      usage: log.usage,
      pending: log.pending,
      ...driverOf(state, summary),
      ...(reports.length > 0 && { refused_reports: reports }),
    };
  });

  router.get("/v1/runs/:id/replay", withRunId, async (ctx) => {
    const run = runOf(ctx);
    await existingRun(state, run);
    const { status, usage, nextSeq, pending } = await state.recorder.state(run);
    ctx.body = { status, usage, next_seq: nextSeq, pending };
  });

  router.post("/v1/runs/:id/resolve", withRunId, operator, async (ctx) => {
    const body = RESOLVE.check(await readJudgedBody(ctx));
    const run = runOf(ctx);
    await existingRun(state, run);
    ctx.body = await state.recorder.within(run, undefined, async (desk) => {
      await resolveCall(desk, state.clientTools, body, deciderOf(state, ctx));
      return { run, resolved: true, status: desk.state.status };
    });
  });

  router.post("/v1/runs/:id/resume", withRunId, operator, async (ctx) => {
    const body = RESUME.check(await readJudgedBody(ctx));
    const run = runOf(ctx);
    await existingRun(state, run);
    ctx.body = await state.recorder.within(run, undefined, async (desk) => {
      const outcome = await resumeRun(desk, body);
      return { run, outcome, status: desk.state.status };
    });
  });

  router.post("/v1/runs/:id/abandon", withRunId, operator, async (ctx) => {
    const body = ABANDON.check(await readJsonBody(ctx));
    const run = runOf(ctx);
    await existingRun(state, run);
    ctx.body = await state.recorder.within(run, undefined, async (desk) => {
      const seq = await abandonRun(desk, body);
      return { run, abandoned: true, appended_seq: seq, status: desk.state.status };
    });
  });
}

function listItem(state: AppState, summary: RunSummary) {
  const { run, content, eventCount, firstRecordedAt, lastRecordedAt } = summary;
  const counted = {
    event_count: eventCount,
    first_recorded_at: firstRecordedAt,
    last_recorded_at: lastRecordedAt,
  };
  if (content === undefined) return { run, ...counted, unreadable: true };
  const { status, usage, stepCount, agentDefHash, labels } = content;
  return {
    run,
    status,
    ...counted,
    usage,
    step_count: stepCount,
    agent_def_hash: agentDefHash,
    ...(labels !== undefined && { labels }),
    ...driverOf(state, summary),
  };
}

/** The evidence of a driver, for a run that a client owns and that can still be driven. */
function driverOf(state: AppState, { run, content }: RunSummary): { readonly driver?: "attached" | "none" } {
  if (content === undefined || !content.clientOwned || isTerminal(content.status)) return {};
  return { driver: state.drivers.isAttached(run) ? "attached" : "none" };
}
