import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { refusedContent } from "../../runtime/refused-content.js";
import type { RefusedReport } from "../../store/event-store.js";
import { ApiError } from "../api-error.js";
import type { CompletionBody } from "../shapes.js";

/**
 * Keeps a report that was not believed beside the log, for the person who settles the call or looks into it later. What
 * failed without judging the report is no refusal, and leaves nothing.
 */
export async function keepRefusedReport(
  desk: RunDesk,
  report: CompletionBody,
  refusal: unknown,
): Promise<void> {
  if (!(refusal instanceof ApiError || refusal instanceof Divergence)) return;
  const { code, message } = refusal;
  const kept: RefusedReport = {
    seq: report.seq,
    time: desk.stamp(),
    code,
    message,
    ...refusedContent(report),
  };
  await desk.store.recordRefusal(desk.run, kept);
}
