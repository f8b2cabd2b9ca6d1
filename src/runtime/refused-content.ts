import type { JsonSchema, JsonValue } from "../contract/json.js";
import type { FailureKind } from "../contract/reserved.js";
import { hashValue } from "../log/canonical-json.js";
import type { RefusedReport } from "../store/event-store.js";

/** The largest report that is kept whole, in bytes of JSON. Of a larger one, what is kept is enough to recognise it. */
const KEPT_WHOLE_BYTES = 256 * 1024;

/** What somebody says a call came to. One of the three is there. */
export interface ReportContent {
  readonly output?: JsonValue;
  readonly error?: { readonly message: string; readonly kind?: FailureKind };
  readonly suspend?: { readonly reason: string; readonly input_schema: JsonSchema };
}

/** What is kept of a report that was not believed. */
export function refusedContent({ output, error, suspend }: ReportContent): Partial<RefusedReport> {
  const content = error ?? suspend ?? output ?? null;
  const bytes = Buffer.byteLength(JSON.stringify(content), "utf8");
  if (bytes > KEPT_WHOLE_BYTES) return { omitted: { bytes, hash: hashValue(content) } };
  if (error !== undefined) return { error: { ...error } };
  return suspend !== undefined ? { suspend: { ...suspend } } : { output: content };
}
