import type { RunSummary } from "../../store/event-store.js";
import { unknownRun } from "../api-error.js";
import type { AppState } from "../app-state.js";

/**
 * The summary of a run that has an event; one that was only opened is not there yet.
 *
 * @throws ApiError `unknown_run`.
 */
export async function existingRun(state: AppState, run: string): Promise<RunSummary> {
  const summary = await state.store.summary(run);
  if (summary === undefined) throw unknownRun(run);
  return summary;
}
