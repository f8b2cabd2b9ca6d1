import { failureOutput, suspensionOutput } from "../../contract/reserved.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import type { RunEvent } from "../../log/events.js";
import { jsonEqual } from "../../log/json-equal.js";
import { claimChange } from "../../runtime/claims.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError, schemaRefused } from "../api-error.js";
import type { ClientTools } from "../app-state.js";
import type { CompletionBody } from "../shapes.js";
import { unknownTool } from "./intent.js";
import { judgeOutput } from "./output-rules.js";
import { recordedCall, type RecordedCall } from "./recorded-call.js";
import { keepRefusedReport } from "./refused-report.js";

export interface CompletionAnswer {
  readonly seq: number;
  readonly completed: true;
}

/**
 * Records a client's report on its call, if it may be believed (docs/http-api.md, "Completion"). This is the one place
 * where trust is decided. A report that is recorded already is recognised first: a lost answer is harmless.
 */
export async function completeCall(
  desk: RunDesk,
  tools: ClientTools,
  body: CompletionBody,
): Promise<CompletionAnswer> {
  const { seq } = body;
  const recorded = recordedOutput(body);
  const call = seq < desk.state.nextSeq ? await recordedCall(desk.store, desk.run, seq) : undefined;
  if (call?.completion !== undefined && jsonEqual(call.completion.event.payload.output, recorded)) {
    return { seq, completed: true };
  }
  const intent = call?.intent.event.payload;
  try {
    await judgeReport(desk, tools, call, body);
  } catch (refusal) {
    // Also when the call is over: a receipt that contradicts what was decided must not go unnoticed.
    if (intent?.performed_by === "client") await keepRefusedReport(desk, body, refusal);
    throw refusal;
  }
  const events: RunEvent[] = [{ kind: "ToolCallCompleted", payload: { seq, output: recorded } }];
  if (body.suspend !== undefined) {
    const { reason, input_schema } = body.suspend;
    events.push({ kind: "Suspended", payload: { reason, input_schema } });
  }
  const key = intent?.idempotency_key ?? null;
  await desk.append(events, await claimChange(desk.store, { run: desk.run, seq, key }, recorded));
  return { seq, completed: true };
}

/** What a report is recorded as. */
function recordedOutput({ output, error, suspend }: CompletionBody): JsonValue {
  if (error !== undefined) return failureOutput(error.kind ?? "handler", error.message, 1);
  if (suspend !== undefined) return suspensionOutput(suspend.reason, suspend.input_schema);
  return output ?? null;
}

/** Whether a report may be believed that is not recorded yet; throws the refusal if not. */
async function judgeReport(
  { run, state }: RunDesk,
  tools: ClientTools,
  call: RecordedCall | undefined,
  { seq, output, error }: CompletionBody,
): Promise<void> {
  if (call?.completion !== undefined) {
    throw new Divergence(`the call at seq ${seq} of run ${run} is completed with another content`);
  }
  if (call === undefined || seq !== state.nextSeq - 1) {
    throw new Divergence(
      `run ${run} does not end at a tool intent with seq ${seq}: its next position is ${state.nextSeq} and it is ${state.status.state}`,
    );
  }
  const intent = call.intent.event.payload;
  if (intent.performed_by !== "client") {
    throw refused(
      `the call of ${intent.tool} at seq ${seq} is performed by this server: no client reports on it`,
    );
  }
  const { tool } = intent;
  const settle = `a person settles it at /v1/runs/${run}/resolve`;
  const declared = tools.get(tool);
  if (declared === undefined) throw unknownTool(tool);
  if (!declared.declaration.trust_completion) {
    throw refused(
      `${tool} is declared with trust_completion = false, so no client's word closes its calls: ${settle}`,
    );
  }
  if (declared.judgeOutput === undefined) {
    throw refused(
      `${tool} is declared with no output_schema, so no client's word closes its calls: ${settle}`,
    );
  }
  if (error?.kind === "output_serialization" && intent.effect === "write") {
    throw new ApiError(
      "bad_request",
      `a write that failed with output_serialization did run, so it has not failed: report its output, or ${settle}`,
    );
  }
  if (output === undefined) return;
  const broken = await judgeOutput(declared, intent.input, output);
  if (broken === undefined) return;
  if (broken.rule === "output_schema") throw schemaRefused(broken.message, broken.violations);
  if (broken.rule === "reserved") throw new ApiError("bad_request", broken.message);
  const details: JsonObject = { field: broken.field };
  throw new ApiError("client_completion_refused", `${broken.message}; if the report is right, ${settle}`, {
    details,
  });
}

function refused(message: string): ApiError {
  return new ApiError("client_completion_refused", message);
}
