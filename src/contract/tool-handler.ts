import type { ToolOutcome } from "./tool-outcome.js";

/** What a tool is: a class with `@Tool(effect)` and a public `call` (docs/tools.md). */
export interface ToolHandler<I, O> {
  /**
   * Performs the call. The input has passed its schema, and is this attempt's own copy.
   *
   * Throw `HandlerError` only when the effect definitely did not happen. Anything else that a `write` throws
   * leaves its outcome unknown, and a person settles it.
   */
  call(ctx: ToolCtx, input: I): O | ToolOutcome<O> | Promise<O | ToolOutcome<O>>;

  /** What identifies a call, when a path (`@Tool(effect, { idempotencyKey: "order.id" })`) cannot say it. Never empty. */
  idempotencyKey?(input: I): string;

  /** After how many milliseconds a call is given up and `ctx.signal` aborted. */
  readonly timeoutMs?: number;
}

/** What a handler is told about the call that it performs. */
export interface ToolCtx {
  /** The same for every attempt at this call: hand it to the service behind the tool, so that it can recognise a repeat. */
  readonly idempotencyKey?: string;
  /** Aborted when the call is given up: hand it on to whatever waits. */
  readonly signal: AbortSignal;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** The run that the call belongs to, when it is recorded. */
  readonly runId?: string;
  /** The position of the call's intent in that run. */
  readonly seq?: number;
  readonly log: ToolLog;
}

/** Where a handler says what it is doing. Ids and timings, please: no secrets, and no one's data. */
export interface ToolLog {
  debug(message: string, details?: ToolLogDetails): void;
  info(message: string, details?: ToolLogDetails): void;
  warn(message: string, details?: ToolLogDetails): void;
  error(message: string, details?: ToolLogDetails): void;
}

export type ToolLogDetails = Readonly<Record<string, unknown>>;
