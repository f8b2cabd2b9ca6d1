import type { Effect } from "../contract/effect.js";
import type { JsonObject, JsonSchema, JsonValue } from "../contract/json.js";

/** What a person decided about a call, recorded with the completion that the decision made. */
export interface ResolvedBy {
  readonly operator?: string;
  readonly note?: string;
  readonly override?: boolean;
  readonly not_performed?: boolean;
}

/** One call in one run. */
export interface CallPosition {
  readonly run_id: string;
  readonly seq: number;
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export interface Budget {
  readonly kind: "tokens" | "cost_usd" | "wall_time" | "steps";
  readonly limit: number;
}

/** The write that nobody settled before its run was abandoned. */
export interface UnresolvedWrite {
  readonly seq: number;
  readonly tool: string;
}

/** The payload of each event kind (docs/http-api.md, "Events"). An optional member with nothing to say is absent, never null. */
export interface Payloads {
  RunStarted: {
    readonly agent_def_hash: string;
    readonly input: JsonValue;
    readonly labels?: Readonly<Record<string, string>>;
  };
  ModelCallRequested: {
    readonly seq: number;
    readonly request_hash: string;
    readonly request_body?: JsonValue;
    readonly performed_by?: "client";
  };
  ModelCallCompleted: { readonly seq: number; readonly response: JsonValue; readonly usage: Usage };
  ToolCallRequested: {
    readonly seq: number;
    readonly tool: string;
    readonly input: JsonValue;
    readonly effect: Effect;
    readonly idempotency_key: string | null;
    readonly performed_by?: "client";
  };
  ToolCallCompleted: {
    readonly seq: number;
    readonly output: JsonValue;
    readonly deduplicated_from?: CallPosition;
    readonly resolved_by?: ResolvedBy;
  };
  NowObserved: { readonly now: string };
  /** An unsigned 64-bit integer: the one number of the wire that a double cannot hold. */
  RandomObserved: { readonly value: bigint };
  Suspended: { readonly reason: string; readonly input_schema: JsonSchema };
  Resumed: { readonly input: JsonValue };
  BudgetExceeded: { readonly budget: Budget; readonly observed: number };
  SleepStarted: { readonly until: string };
  SleepCompleted: JsonObject;
  RunCompleted: { readonly output: JsonValue };
  RunFailed: { readonly error: string };
  RunAbandoned: { readonly reason?: string; readonly unresolved_write?: UnresolvedWrite };
}

export type EventKind = keyof Payloads;

/** What happened: a kind and its payload. A stored log may hold kinds that this version does not know; they fold to nothing. */
export type RunEvent = { [K in EventKind]: { readonly kind: K; readonly payload: Payloads[K] } }[EventKind];

export type EventOf<K extends EventKind> = Extract<RunEvent, { kind: K }>;

/** An event in its place: which run, which position (from 0, without gaps), and when this server recorded it. */
export interface Envelope<E extends RunEvent = RunEvent> {
  /** A UUID, hyphenated, lower-case. */
  readonly run_id: string;
  readonly seq: number;
  readonly schema_version: number;
  /** RFC 3339, UTC: always the recording server's own stamp. */
  readonly recorded_at: string;
  readonly event: E;
}

/** The version of the envelope that this code writes and accepts. */
export const SCHEMA_VERSION = 1;

/** Every kind, in the order of the wire contract. */
export const EVENT_KINDS = [
  "RunStarted",
  "ModelCallRequested",
  "ModelCallCompleted",
  "ToolCallRequested",
  "ToolCallCompleted",
  "NowObserved",
  "RandomObserved",
  "Suspended",
  "Resumed",
  "BudgetExceeded",
  "SleepStarted",
  "SleepCompleted",
  "RunCompleted",
  "RunFailed",
  "RunAbandoned",
] as const satisfies readonly EventKind[];

/** Whether a kind is one that this version knows. */
export function isEventKind(kind: string): kind is EventKind {
  return EVENT_KINDS.some((known) => known === kind);
}

/** Puts an event in its place. */
export function envelopeOf<E extends RunEvent>(
  runId: string,
  seq: number,
  recordedAt: string,
  event: E,
): Envelope<E> {
  return { run_id: runId, seq, schema_version: SCHEMA_VERSION, recorded_at: recordedAt, event };
}

/** Whether an envelope holds an event of a kind; narrows it. */
export function holds<K extends EventKind>(
  envelope: Envelope | undefined,
  kind: K,
): envelope is Envelope<EventOf<K>> {
  return envelope?.event.kind === kind;
}
