import type { JsonSchema, JsonValue } from "../../contract/json.js";
import type { Violation } from "../../contract/validator.js";
import { holds, type RunEvent } from "../../log/events.js";
import { isTerminal } from "../../log/fold.js";
import { resumption } from "../../runtime/claims.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { judgeUntrusted, SchemaError } from "../../schema/index.js";
import { ApiError, schemaRefused } from "../api-error.js";
import { BUDGET_EXTENSION, type ResumeBody } from "../shapes.js";
import { refuseWhileExecuting } from "./executing.js";
import { judgedSeq } from "./judged-seq.js";
import { needsReconciliation } from "./needs-reconciliation.js";

/**
 * Resumes a parked run with an input (docs/http-api.md, "A person decides"): the state is judged first, then the input,
 * against the schema that the suspension recorded. The run stays parked when the input is refused.
 *
 * @returns `resumed`, or the state of a run that has ended.
 */
export async function resumeRun(desk: RunDesk, { seq, input }: ResumeBody): Promise<string> {
  const { status, nextSeq } = desk.state;
  if (seq !== undefined && seq !== judgedSeq(desk.state)) {
    throw new ApiError(
      "wrong_state",
      `run ${desk.run} is ${status.state} at seq ${nextSeq - 1}, not waiting at seq ${seq}: read it again before you decide`,
    );
  }
  if (isTerminal(status)) return status.state;
  await refuseWhileExecuting(desk);
  if (status.state === "needs_reconciliation") throw await openWrite(desk);
  if (status.state !== "suspended" && status.state !== "budget_exceeded") {
    throw new ApiError("wrong_state", `run ${desk.run} is ${status.state}: only a parked run is resumed`);
  }
  if (input === undefined)
    throw new ApiError("bad_request", 'resuming needs an "input"; an explicit null is one');
  if (status.state === "budget_exceeded") BUDGET_EXTENSION.check(input, "the budget extension");
  else {
    const violations = await judgeRecorded(desk.run, status.input_schema, input);
    if (violations.length > 0) {
      throw schemaRefused(
        `the input does not match the input_schema that run ${desk.run} waits with`,
        violations,
      );
    }
  }
  const event: RunEvent = { kind: "Resumed", payload: { input } };
  await desk.append([event], await resumption(desk, event));
  return "resumed";
}

/** A suspension's schema is its client's: it is judged with less trust than an operator's, and may turn out to be none. */
async function judgeRecorded(
  run: string,
  schema: JsonSchema,
  input: JsonValue,
): Promise<readonly Violation[]> {
  try {
    return await judgeUntrusted(schema, input);
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    throw new ApiError(
      "bad_request",
      `run ${run} waits with an input_schema that nothing can be held to (${cause.message}): it can only be abandoned`,
      { cause },
    );
  }
}

async function openWrite(desk: RunDesk): Promise<ApiError> {
  const { pending } = desk.state;
  const [intent] = pending === null ? [] : await desk.read(pending.seq, 1);
  if (holds(intent, "ToolCallRequested")) return needsReconciliation(desk.run, intent);
  throw new TypeError(`run ${desk.run} needs reconciliation, and no write is open in it`);
}
