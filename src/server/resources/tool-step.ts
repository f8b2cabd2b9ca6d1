import { InvalidInput, MissingIdempotencyKey } from "../../contract/tool-errors.js";
import { CallInFlight, IdempotencyKeyCollision } from "../../runtime/call-errors.js";
import { Divergence } from "../../runtime/divergence.js";
import { LineFull } from "../../runtime/hosted/bounded-line.js";
import type { CallEnd } from "../../runtime/hosted/hosted-calls.js";
import { JudgingTimeout, NoTools, Stopping } from "../../runtime/hosted/hosted-errors.js";
import { UnregisteredTool } from "../../runtime/run-errors.js";
import { ApiError, schemaRefused } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { needsReconciliation } from "../calls/needs-reconciliation.js";
import { leaseOf, runOf, withRunId, type AppRouter } from "../context.js";
import { readJudgedBody } from "../layers/body.js";
import { driverOnly } from "../layers/driver.js";
import { TOOL_STEP } from "../shapes.js";

/** Calls of tools that this server performs itself (docs/http-api.md, "Calls of this server"). */
export function toolStepRoutes(state: AppState, router: AppRouter): void {
  router.post("/v1/client-runs/:id/tool-step", withRunId, driverOnly(state), async (ctx) => {
    const { seq, tool, input, idempotency_key } = TOOL_STEP.check(await readJudgedBody(ctx));
    const asked = { seq, tool, input, idempotencyKey: idempotency_key };
    const run = runOf(ctx);
    try {
      ctx.body = answerOf(run, await state.hosted.perform(run, leaseOf(ctx), asked));
    } catch (error) {
      throw refusalOf(error);
    }
  });
}

/** @throws ApiError when the call has failed, or when nobody knows whether it has. */
function answerOf(run: string, end: CallEnd): object {
  if (end.kind === "open") throw needsReconciliation(run, end.intent);
  if (end.kind === "suspended") {
    return { suspended: { reason: end.reason, input_schema: end.inputSchema } };
  }
  if (end.result.kind === "output") return { output: end.result.output };
  const { tool, seq } = end.intent.event.payload;
  const { kind, message, attempts } = end.result.failure;
  throw new ApiError("tool_execution", `${tool} (call ${seq}) failed (${kind}): ${message}`, {
    details: { seq, tool, kind, attempts },
  });
}

/** The answer to what kept a call from being performed. */
function refusalOf(error: unknown): unknown {
  if (error instanceof NoTools) {
    return new ApiError(
      "tool_registry_unavailable",
      "this server performs no tools: start it with --tools MODULE, or perform the call yourself, with client-tool-intent",
    );
  }
  if (error instanceof LineFull || error instanceof JudgingTimeout) {
    return new ApiError(
      "tool_registry_unavailable",
      `${error.message}: ask again shortly; nothing was recorded`,
      {
        headers: { "Retry-After": "1" },
      },
    );
  }
  if (error instanceof Stopping) {
    return new ApiError("shutting_down", "this server is shutting down; try again shortly", {
      headers: { "Retry-After": "1" },
    });
  }
  if (error instanceof UnregisteredTool) {
    return new ApiError("unknown_tool", `${error.message}: it is none that this server performs`);
  }
  if (error instanceof InvalidInput) {
    return schemaRefused(`the input does not match the input_schema of ${error.tool}`, error.violations);
  }
  if (error instanceof MissingIdempotencyKey)
    return new ApiError("bad_request", error.message, { cause: error });
  if (error instanceof CallInFlight) return Divergence.ofHolder(error.message, error.holder);
  if (error instanceof IdempotencyKeyCollision) {
    // Its own message quotes what the holder was asked with, which may be another driver's to read.
    const { tool, idempotencyKey, holder } = error;
    return Divergence.ofHolder(
      `the key ${idempotencyKey} belongs to call ${holder.seq} of run ${holder.run_id}, which has another input. ` +
        `One key, one input: let the key of ${tool} name everything that makes a call another call`,
      holder,
    );
  }
  return error;
}
