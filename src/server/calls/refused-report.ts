import { hashValue } from "../../log/canonical-json.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import type { RefusedReport } from "../../store/event-store.js";
import { ApiError } from "../api-error.js";
import type { CompletionBody } from "../shapes.js";

/** The largest report that is kept whole, in bytes of JSON. Of a larger one, what is kept is enough to recognise it. */
const KEPT_WHOLE_BYTES = 256 * 1024;

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
  const kept: RefusedReport = { seq: report.seq, time: desk.stamp(), code, message, ...contentOf(report) };
  await desk.store.recordRefusal(desk.run, kept);
}

function contentOf({ output, error, suspend }: CompletionBody): Partial<RefusedReport> {
  const content = error ?? suspend ?? output ?? null;
  const bytes = Buffer.byteLength(JSON.stringify(content), "utf8");
  if (bytes > KEPT_WHOLE_BYTES) return { omitted: { bytes, hash: hashValue(content) } };
  if (error !== undefined) return { error: { ...error } };
  return suspend !== undefined ? { suspend: { ...suspend } } : { output: content };
}
