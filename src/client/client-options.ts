import type { JsonValue } from "../contract/json.js";
import type { Usage } from "../log/events.js";
import type { Fetch } from "./transport.js";

export interface SalvorClientOptions {
  /** Where the server answers, as `http://127.0.0.1:8080`; a path in it is kept. */
  readonly url: string;
  /** The client token, when the server has one. */
  readonly token?: string | undefined;
  /** The operator token: sent where a person decides, and in place of `token` when there is none. */
  readonly operatorToken?: string | undefined;
  /** The global `fetch` unless given. */
  readonly fetch?: Fetch;
  /** How long one attempt may take, in milliseconds; 30 000 unless given. */
  readonly timeoutMs?: number;
  /** How often a request that is safe to repeat is sent again when its answer was lost; 4 unless given, 0 for never. */
  readonly retries?: number;
}

export interface CallOptions {
  /** Ends the call; its promise rejects with the signal's reason. What the server was recording is still recorded. */
  readonly signal?: AbortSignal | undefined;
}

/** A run and the right to drive it. */
export interface Drive {
  readonly run: string;
  readonly driveToken: string;
}

export interface OpenRunRequest {
  /** A UUID. With one, an open whose answer was lost is sent again; without one the server mints it. */
  readonly runId?: string | undefined;
  readonly agent?: JsonValue | undefined;
  readonly input?: JsonValue | undefined;
  readonly recordPrompts?: boolean | undefined;
}

/** What is asked of a tool: the position in the run, the tool, its input. */
export interface Ask {
  readonly seq: number;
  readonly tool: string;
  readonly input: JsonValue;
}

/** What is asked of a model: the position in the run, and the request as `hashValue` of it. */
export interface ModelAsk {
  readonly seq: number;
  readonly requestHash: string;
  /** Recorded only in a run that was opened with `recordPrompts`. */
  readonly requestBody?: JsonValue | undefined;
}

/** What is asked of a tool that the server performs. */
export interface HostedAsk extends Ask {
  /** Recorded when the tool derives no key of its own; it identifies nothing. */
  readonly idempotencyKey?: string | undefined;
}

/** What is asked of a model that the server calls: the position in the run, and the request as the model takes it. */
export interface HostedModelAsk {
  readonly seq: number;
  readonly request: JsonValue;
}

/** Which events of a run are wanted. */
export interface EventsQuery {
  /** The first position; 0 unless given. */
  readonly fromSeq?: number | undefined;
  /** Whether only the end of the run ends the stream. */
  readonly follow?: boolean | undefined;
}

/** What a model answered, and what it cost. */
export interface ModelReply {
  readonly response: JsonValue;
  readonly usage: Usage;
}
