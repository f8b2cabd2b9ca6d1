import { isEffect, type Effect } from "../contract/effect.js";
import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../contract/json.js";
import type { Budget, Envelope, UnresolvedWrite, Usage } from "./events.js";

/** What a run is doing, as its log says. */
export type RunStatus =
  | {
      readonly state: "not_started" | "running" | "awaiting_model" | "awaiting_tool" | "needs_reconciliation";
    }
  | { readonly state: "suspended"; readonly reason: string; readonly input_schema: JsonSchema }
  | { readonly state: "budget_exceeded"; readonly budget: Budget; readonly observed: number }
  | { readonly state: "completed"; readonly output: JsonValue }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "abandoned"; readonly reason?: string; readonly unresolved_write?: UnresolvedWrite };

export type RunStateName = RunStatus["state"];

/** Every state that a run can be in. */
export const RUN_STATES = [
  "not_started",
  "running",
  "awaiting_model",
  "awaiting_tool",
  "needs_reconciliation",
  "suspended",
  "budget_exceeded",
  "completed",
  "failed",
  "abandoned",
] as const satisfies readonly RunStateName[];

/** The last intent without its completion. */
export type PendingCall =
  | { readonly kind: "model"; readonly seq: number; readonly request_hash: string }
  | {
      readonly kind: "tool";
      readonly seq: number;
      readonly tool: string;
      readonly input: JsonValue;
      readonly effect: Effect;
      readonly idempotency_key: string | null;
    };

/** What a log means: everything that is derived from it, and nothing else. */
export interface RunState {
  readonly nextSeq: number;
  readonly status: RunStatus;
  readonly usage: Usage;
  /** How many model calls were asked for. */
  readonly stepCount: number;
  readonly pending: PendingCall | null;
  readonly asleep: boolean;
}

/** The state of an empty log. */
export const NOT_STARTED: RunState = Object.freeze({
  nextSeq: 0,
  status: Object.freeze({ state: "not_started" }),
  usage: Object.freeze({ input_tokens: 0, output_tokens: 0 }),
  stepCount: 0,
  pending: null,
  asleep: false,
});

/** Folds a log, or the part of one that follows `from`. Total over any prefix: it never throws, whatever a stored log holds. */
export function fold(log: Iterable<Envelope>, from: RunState = NOT_STARTED): RunState {
  let state = from;
  for (const envelope of log) state = applyEvent(state, envelope);
  return state;
}

/** The state after one more event. Never throws; an unknown kind only takes its position. */
export function applyEvent(state: RunState, envelope: Envelope): RunState {
  const change = changeOf(state, envelope);
  return {
    nextSeq: state.nextSeq + 1,
    status: change.status ?? state.status,
    usage: change.usage ?? state.usage,
    stepCount: change.stepCount ?? state.stepCount,
    pending: change.pending === undefined ? state.pending : change.pending,
    asleep: change.asleep ?? state.asleep,
  };
}

/** Whether a run in this state is over: nothing may follow. */
export function isTerminal(status: RunStatus): boolean {
  return status.state === "completed" || status.state === "failed" || status.state === "abandoned";
}

/** Whether a run in this state waits for `Resumed`. */
export function isParked(status: RunStatus): boolean {
  return status.state === "suspended" || status.state === "budget_exceeded";
}

function changeOf(state: RunState, { event, seq }: Envelope): Partial<RunState> {
  const payload: JsonObject = isJsonObject(event.payload) ? event.payload : {};
  switch (event.kind) {
    case "RunStarted":
    case "Resumed":
      return { status: RUNNING };
    case "ModelCallRequested":
      return {
        status: { state: "awaiting_model" },
        stepCount: state.stepCount + 1,
        pending: { kind: "model", seq, request_hash: text(payload["request_hash"]) },
      };
    case "ModelCallCompleted":
      return {
        status: RUNNING,
        usage: addUsage(state.usage, payload["usage"]),
        ...settling(state, "model", payload),
      };
    case "ToolCallRequested":
      return toolIntent(seq, payload);
    case "ToolCallCompleted":
      return { status: RUNNING, ...settling(state, "tool", payload) };
    case "Suspended":
      return {
        status: {
          state: "suspended",
          reason: text(payload["reason"]),
          input_schema: (payload["input_schema"] ?? true) as JsonSchema,
        },
      };
    case "BudgetExceeded":
      return {
        status: {
          state: "budget_exceeded",
          budget: payload["budget"] as unknown as Budget,
          observed: count(payload["observed"]),
        },
      };
    case "SleepStarted":
      return { asleep: true };
    case "SleepCompleted":
      return { asleep: false };
    case "RunCompleted":
      return { status: { state: "completed", output: payload["output"] ?? null } };
    case "RunFailed":
      return { status: { state: "failed", error: text(payload["error"]) } };
    case "RunAbandoned":
      return { status: abandoned(payload) };
    default:
      return {};
  }
}

const RUNNING: RunStatus = Object.freeze({ state: "running" });

function abandoned(payload: JsonObject): RunStatus {
  const { reason, unresolved_write: write } = payload;
  return {
    state: "abandoned",
    ...(typeof reason === "string" && { reason }),
    ...(isJsonObject(write) && { unresolved_write: write as unknown as UnresolvedWrite }),
  };
}

function toolIntent(seq: number, payload: JsonObject): Partial<RunState> {
  // An effect that is none of the three cannot be repeated safely: it counts as the strictest.
  const effect = isEffect(payload["effect"]) ? payload["effect"] : "write";
  const key = payload["idempotency_key"];
  return {
    status: { state: effect === "write" ? "needs_reconciliation" : "awaiting_tool" },
    pending: {
      kind: "tool",
      seq,
      tool: text(payload["tool"]),
      input: payload["input"] ?? null,
      effect,
      idempotency_key: typeof key === "string" ? key : null,
    },
  };
}

function settling(state: RunState, kind: PendingCall["kind"], payload: JsonObject): Partial<RunState> {
  const { pending } = state;
  return pending?.kind === kind && pending.seq === payload["seq"] ? { pending: null } : {};
}

function addUsage(sum: Usage, usage: JsonValue | undefined): Usage {
  if (!isJsonObject(usage)) return sum;
  return {
    input_tokens: sum.input_tokens + count(usage["input_tokens"]),
    output_tokens: sum.output_tokens + count(usage["output_tokens"]),
  };
}

function count(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
