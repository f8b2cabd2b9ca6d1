import type { RunDesk } from "../../runtime/recorder.js";
import type { RefusedReport } from "../../store/event-store.js";
import type { ApiError } from "../api-error.js";
import type { CompletionBody } from "../shapes.js";

/** Keeps a report that was not believed beside the log, for the person who will settle the call. */
export async function keepRefusedReport(
  desk: RunDesk,
  report: CompletionBody,
  refusal: ApiError,
): Promise<void> {
  const { seq, output, error, suspend } = report;
  const kept: RefusedReport = {
    seq,
    time: desk.stamp(),
    code: refusal.code,
    message: refusal.message,
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: { ...error } }),
    ...(suspend !== undefined && { suspend: { ...suspend } }),
  };
  await desk.store.recordRefusal(desk.run, kept);
}
