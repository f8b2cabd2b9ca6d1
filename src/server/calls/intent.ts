import type { JsonValue } from "../../contract/json.js";
import type { DeclaredTool } from "../../declarations/declared-tool.js";
import type { EventOf, RunEvent } from "../../log/events.js";
import { jsonEqual } from "../../log/json-equal.js";
import { Divergence } from "../../runtime/divergence.js";
import type { RunDesk } from "../../runtime/recorder.js";
import { claiming } from "../../store/append-unit.js";
import type { CallHolder } from "../../store/event-store.js";
import { ApiError, schemaRefused } from "../api-error.js";
import type { ClientTools } from "../app-state.js";
import type { IntentBody } from "../shapes.js";
import { identityOf } from "./identity.js";
import { judgeOutput } from "./output-rules.js";
import { recordedCall, type RecordedCall } from "./recorded-call.js";

/** The answer to an intent. `output` is there when the call is settled. */
export interface IntentAnswer {
  readonly seq: number;
  readonly idempotency_key: string | null;
  readonly effect: string;
  readonly settled: boolean;
  readonly output?: JsonValue;
}

/**
 * Records a client's intent before its effect (docs/http-api.md, "Intent"). A position that is recorded already is looked
 * at first, whatever is declared now; nothing is written on a refusal.
 */
export async function openIntent(desk: RunDesk, tools: ClientTools, body: IntentBody): Promise<IntentAnswer> {
  const { seq, tool, input } = body;
  if (seq < desk.state.nextSeq) return answerOf(await sameCall(desk, body));

  const declared = tools.get(tool);
  if (declared === undefined) throw unknownTool(tool);
  const { declaration } = declared;
  const violations = await declared.judgeInput(input);
  if (violations.length > 0)
    throw schemaRefused(`the input does not match the input_schema of ${tool}`, violations);
  const { key, exclusive } = identityOf(declaration, desk.run, seq, input);

  const intent: EventOf<"ToolCallRequested"> = {
    kind: "ToolCallRequested",
    payload: { seq, tool, input, effect: declaration.effect, idempotency_key: key, performed_by: "client" },
  };
  const holder = exclusive ? await desk.store.lookupCall(key) : undefined;
  if (holder !== undefined) return copySettled(desk, declared, intent, holder);
  await desk.append([intent], exclusive ? claiming(key, seq) : {}, seq);
  return { seq, idempotency_key: key, effect: declaration.effect, settled: false };
}

/** The tool is not declared: names what a reader can do about it. */
export function unknownTool(tool: string): ApiError {
  return new ApiError(
    "unknown_tool",
    `no client tool ${JSON.stringify(tool)} is declared; GET /v1/client-tools lists those that are`,
  );
}

/** The recorded call at a position, if it is the one that is asked for. */
async function sameCall(desk: RunDesk, { seq, tool, input }: IntentBody): Promise<RecordedCall> {
  const call = await recordedCall(desk.store, desk.run, seq);
  const recorded = call?.intent.event.payload;
  if (call === undefined || recorded === undefined) {
    throw new Divergence(`position ${seq} of run ${desk.run} is recorded and holds no tool intent`);
  }
  if (recorded.performed_by !== "client") {
    throw new Divergence(
      `position ${seq} of run ${desk.run} holds a call of ${recorded.tool} performed by this server`,
    );
  }
  if (recorded.tool !== tool) {
    throw new Divergence(
      `position ${seq} of run ${desk.run} holds a call of ${recorded.tool}, not of ${tool}`,
    );
  }
  if (!jsonEqual(recorded.input, input)) {
    throw new Divergence(`position ${seq} of run ${desk.run} holds a call of ${tool} with another input`);
  }
  return call;
}

function answerOf({ intent, result }: RecordedCall): IntentAnswer {
  const { seq, idempotency_key, effect } = intent.event.payload;
  const answer = { seq, idempotency_key, effect };
  return result === undefined ? { ...answer, settled: false } : { ...answer, settled: true, output: result };
}

/** Answers a call whose identity another call has settled: its answer is copied, nothing is performed. */
async function copySettled(
  desk: RunDesk,
  tool: DeclaredTool,
  intent: EventOf<"ToolCallRequested">,
  holder: CallHolder,
): Promise<IntentAnswer> {
  const { seq, input, effect, idempotency_key } = intent.payload;
  const where = `run ${holder.run_id}, seq ${holder.seq}`;
  if (!holder.settled) {
    throw Divergence.ofHolder(`the same call of ${tool.declaration.name} is still open at ${where}`, holder);
  }
  const output = (await recordedCall(desk.store, holder.run_id, holder.seq))?.result;
  if (output === undefined) {
    throw Divergence.ofHolder(
      `this call was settled at ${where}, whose answer was erased: it cannot be copied`,
      holder,
    );
  }
  const broken = await judgeOutput(tool, input, output);
  if (broken !== undefined) {
    throw Divergence.ofHolder(
      `this call was settled at ${where}, whose answer does not fit it: ${broken.message}`,
      holder,
    );
  }
  const copy: RunEvent = {
    kind: "ToolCallCompleted",
    payload: { seq, output, deduplicated_from: { run_id: holder.run_id, seq: holder.seq } },
  };
  await desk.append([intent, copy], {}, seq);
  return { seq, idempotency_key, effect, settled: true, output };
}
