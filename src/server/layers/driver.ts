import { ApiError, unknownRun } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { runOf, type AppMiddleware } from "../context.js";
import { secretMatches } from "../tokens.js";

/** Lets only the run's current driver on. What it found is compared again inside the run's queue. */
export function driverOnly(state: AppState): AppMiddleware {
  return async (ctx, next) => {
    const run = runOf(ctx);
    const record = await state.store.readRun(run);
    if (record?.lease === undefined || record.erased) throw unknownRun(run);
    const token = ctx.get("X-Drive-Token");
    if (token === "") {
      throw new ApiError(
        "missing_drive_token",
        `run ${run} is driven with its drive token: send it as X-Drive-Token`,
      );
    }
    if (!secretMatches(token, record.lease)) {
      throw new ApiError(
        "invalid_drive_token",
        `this is not the current drive token of run ${run}: POST /v1/client-runs with its run_id takes the run over`,
      );
    }
    state.drivers.seen(run);
    ctx.state.lease = record.lease;
    return next();
  };
}
