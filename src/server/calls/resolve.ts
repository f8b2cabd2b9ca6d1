import { failureOutput } from "../../contract/reserved.js";
import type { JsonValue } from "../../contract/json.js";
import type { DeclaredTool } from "../../declarations/declared-tool.js";
import type { EventOf, ResolvedBy } from "../../log/events.js";
import { claimChange } from "../../runtime/claims.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError, schemaRefused } from "../api-error.js";
import type { ClientTools } from "../app-state.js";
import type { ResolveBody } from "../shapes.js";
import { refuseWhileExecuting } from "./executing.js";
import { unknownTool } from "./intent.js";
import { judgeOutput, judgeReserved, type BrokenRule } from "./output-rules.js";
import { recordedCall } from "./recorded-call.js";

/** Who decides, as far as the server knows. */
export interface Decider {
  readonly operatorConfigured: boolean;
  readonly operatorPresented: boolean;
}

/**
 * Settles a call on a person's word (docs/http-api.md, "A person decides"): the dangling write, or a dangling client call
 * that no client may close.
 */
export async function resolveCall(
  desk: RunDesk,
  tools: ClientTools,
  body: ResolveBody,
  by: Decider,
): Promise<void> {
  await refuseWhileExecuting(desk);
  const { intent, declared } = await settleable(desk, tools, body.seq);
  const output = await decidedOutput(intent, declared, body, by);
  const { seq, idempotency_key: key } = intent;
  const resolvedBy = resolvedByOf(body, by);
  await desk.append(
    [{ kind: "ToolCallCompleted", payload: { seq, output, ...(resolvedBy && { resolved_by: resolvedBy }) } }],
    await claimChange(desk.store, { run: desk.run, seq, key }, output),
  );
}

type Intent = EventOf<"ToolCallRequested">["payload"];

async function settleable(
  desk: RunDesk,
  tools: ClientTools,
  target: number | undefined,
): Promise<{ readonly intent: Intent; readonly declared: DeclaredTool | undefined }> {
  const { pending, status, nextSeq } = desk.state;
  const call =
    pending?.kind === "tool" && pending.seq === nextSeq - 1
      ? await recordedCall(desk.store, desk.run, pending.seq)
      : undefined;
  const intent = call?.intent.event.payload;
  const declared = intent && tools.get(intent.tool);
  if (intent === undefined || !maySettle(intent, declared)) {
    throw new ApiError(
      "wrong_state",
      `run ${desk.run} has no call for a person to settle: it is ${status.state} and its log ends at ${await lastEvent(desk)}`,
    );
  }
  if (target !== undefined && target !== intent.seq) {
    throw new ApiError(
      "wrong_state",
      `run ${desk.run} waits at seq ${intent.seq} (${intent.tool}), not at seq ${target}: read it again before you decide`,
    );
  }
  return { intent, declared };
}

/** A dangling write is a person's to settle; so is any client call that no client may close as things are declared now. */
function maySettle(intent: Intent, declared: DeclaredTool | undefined): boolean {
  if (intent.effect === "write") return true;
  if (intent.performed_by !== "client") return false;
  return declared?.judgeOutput === undefined || !declared.declaration.trust_completion;
}

async function lastEvent(desk: RunDesk): Promise<string> {
  const { nextSeq } = desk.state;
  if (nextSeq === 0) return "nothing: it is empty";
  const [last] = await desk.read(nextSeq - 1);
  return `seq ${nextSeq - 1} (${last?.event.kind ?? "unknown"})`;
}

async function decidedOutput(
  intent: Intent,
  declared: DeclaredTool | undefined,
  body: ResolveBody,
  by: Decider,
): Promise<JsonValue> {
  if (body.override === true) checkOverride(body, by);
  if (body.not_performed === true) {
    if (body.output !== undefined)
      throw new ApiError("bad_request", 'send either "output" or "not_performed", not both');
    return failureOutput("handler", body.note ?? "a person says that it was not performed", 0);
  }
  const { output } = body;
  if (output === undefined) {
    throw new ApiError(
      "bad_request",
      'a decision needs "output" (it happened, and this came of it) or "not_performed": true',
    );
  }
  const broken = await brokenRule(intent, declared, output, body.override === true);
  if (broken?.rule === "output_schema") throw schemaRefused(broken.message, broken.violations);
  if (broken !== undefined) throw new ApiError("bad_request", broken.message);
  return output;
}

async function brokenRule(
  intent: Intent,
  declared: DeclaredTool | undefined,
  output: JsonValue,
  override: boolean,
): Promise<BrokenRule | undefined> {
  if (override) return judgeReserved(output);
  if (declared !== undefined) return judgeOutput(declared, intent.input, output);
  // Without its declaration the pins of a client's call are unknown: nothing may pass for held that was not looked at.
  if (intent.performed_by === "client") throw unknownTool(intent.tool);
  return judgeReserved(output);
}

function checkOverride({ note }: ResolveBody, { operatorConfigured }: Decider): void {
  if (!operatorConfigured) {
    throw new ApiError(
      "operator_required",
      "override sets the declared rules aside, which only an operator with a token may do: start the server with --operator-token",
    );
  }
  if (note === undefined || note.trim() === "") {
    throw new ApiError(
      "bad_request",
      'override needs a "note" that says why the declared rules are set aside',
    );
  }
}

function resolvedByOf(
  { operator, note, override, not_performed }: ResolveBody,
  by: Decider,
): ResolvedBy | undefined {
  const given = operator !== undefined || note !== undefined || override === true;
  if (!by.operatorPresented && !given) return undefined;
  return {
    ...(operator !== undefined && { operator }),
    ...(note !== undefined && { note }),
    ...(override === true && { override }),
    ...(not_performed === true && { not_performed }),
  };
}
