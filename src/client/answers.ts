import type { Effect } from "../contract/effect.js";
import type { JsonObject, JsonSchema, JsonValue } from "../contract/json.js";
import type { Envelope, Usage } from "../log/events.js";
import type { PendingCall, RunStateName, RunStatus } from "../log/fold.js";

/** A tool as its operator declared it (docs/declarations.md); empty lists are absent. */
export interface DeclaredClientTool {
  readonly name: string;
  readonly effect: Effect;
  readonly input_schema: JsonSchema;
  /** Without it no client may close a call. */
  readonly output_schema?: JsonSchema;
  /** Whether a client's report closes a call; when not, a person does. */
  readonly trust_completion: boolean;
  readonly require_equal?: readonly string[];
  readonly idempotency_key?: readonly string[];
  readonly description?: string;
  readonly title?: string;
}

/** A tool that the server performs itself. */
export interface HostedTool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input_schema: JsonObject;
  readonly output_schema?: JsonObject;
}

/** A run that was opened, or opened again. */
export interface OpenedRun {
  readonly run: string;
  /** Drives the run until it is opened again. A secret. */
  readonly drive_token: string;
  /** Everything recorded so far, from position 0. */
  readonly log: readonly Envelope[];
  /** Whether the run is new to the server. */
  readonly fresh: boolean;
}

/** A call that is recorded, and what it is performed under. */
export interface IntentAnswer {
  readonly seq: number;
  readonly idempotency_key: string | null;
  /** The operator's, as recorded. */
  readonly effect: Effect;
  /** Whether the call has a completion already: then it is not to be performed. */
  readonly settled: boolean;
  /** The recorded output of a settled call; a reserved shape when it failed or was suspended. */
  readonly output?: JsonValue;
}

/** A model call that is recorded. */
export interface ModelIntentAnswer {
  readonly seq: number;
  /** Whether the call has its answer already: then it is not to be made. */
  readonly settled: boolean;
  /** What a settled call answered, and what it cost. */
  readonly response?: JsonValue;
  readonly usage?: Usage;
}

/** What a tool of the server answered: its output, or that it waits for a person's input. */
export type ToolStepAnswer =
  | { readonly output: JsonValue }
  | { readonly suspended: { readonly reason: string; readonly input_schema: JsonSchema } };

/** What a model says while it answers. */
export type ModelDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | ({ readonly type: "usage" } & Usage);

/** What a run rests at when its stream of events ends. */
export interface RunStreamEnd {
  readonly status: RunStatus;
  /** It rests only because nobody drives it. */
  readonly detached?: true;
}

/** What a run's log means. */
export interface ReplayAnswer {
  readonly status: RunStatus;
  readonly usage: Usage;
  readonly next_seq: number;
  readonly pending: PendingCall | null;
}

/** What a list shows of a run. An unreadable run has only its id, count and times. */
export interface RunSummaryAnswer {
  readonly run: string;
  readonly event_count: number;
  readonly first_recorded_at: string;
  readonly last_recorded_at: string;
  readonly status?: RunStatus;
  readonly usage?: Usage;
  readonly step_count?: number;
  readonly agent_def_hash?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly driver?: "attached" | "none";
  readonly unreadable?: true;
}

export interface RunPage {
  readonly runs: readonly RunSummaryAnswer[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

export interface RunQuery {
  readonly status?: RunStateName;
  readonly group?: "waiting" | "progress" | "terminal";
  /** Only runs with an open call of this tool. */
  readonly tool?: string;
  /** Only runs with this label: `key=value`, or a key alone. */
  readonly label?: string;
  /** Oldest first unless given. */
  readonly order?: "oldest" | "newest";
  readonly limit?: number;
  readonly after?: string;
}

/** A report that was not believed, kept for the person who settles the call. */
export interface RefusedReportAnswer {
  readonly seq: number;
  readonly time: string;
  readonly code: string;
  readonly message: string;
  readonly output?: JsonValue;
  readonly error?: JsonValue;
  readonly suspend?: JsonValue;
  /** Stands for a report that was too large to keep: its length as JSON, and the hash of its canonical text. */
  readonly omitted?: { readonly bytes: number; readonly hash: string };
}

export interface RunAnswer {
  readonly run: string;
  readonly status: RunStatus;
  readonly event_count: number;
  readonly first_recorded_at: string;
  readonly last_recorded_at: string;
  readonly usage: Usage;
  readonly pending: PendingCall | null;
  readonly driver?: "attached" | "none";
  readonly refused_reports?: readonly RefusedReportAnswer[];
}

/** What a person decides about a call (docs/http-api.md, "A person decides"). */
export type Resolution = {
  /** The intent that was judged: if another one is pending by now, nothing is recorded. */
  readonly seq: number;
  /** Who decides, as free text. */
  readonly operator?: string;
} & (
  | { readonly output: JsonValue; readonly note?: string }
  | { readonly output: JsonValue; readonly override: true; readonly note: string }
  | { readonly not_performed: true; readonly note?: string }
);

export interface ResolveAnswer {
  readonly run: string;
  readonly resolved: true;
  /** Absent where a driver resolves. */
  readonly status?: RunStatus;
}

export interface ResumeAnswer {
  readonly run: string;
  /** `resumed`, or the state of a run that had ended already. */
  readonly outcome: string;
  readonly status: RunStatus;
}

export interface AbandonAnswer {
  readonly run: string;
  readonly abandoned: true;
  readonly appended_seq: number;
  readonly status: RunStatus;
}

export interface CapabilitiesAnswer {
  readonly capabilities: JsonObject;
  readonly server: { readonly version: string };
}
