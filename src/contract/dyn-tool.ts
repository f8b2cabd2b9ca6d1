import type { Effect } from "./effect.js";
import type { JsonObject, JsonSchema, JsonValue } from "./json.js";
import type { ToolJudge } from "./validator.js";
import type { ToolCtx } from "./tool-handler.js";

/** A tool with its types erased: what models, servers and drivers see of it. */
export interface DynTool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** After how many milliseconds a call is given up; absent when whoever performs it decides. */
  readonly timeoutMs?: number;

  /**
   * The key that identifies a call with this input; absent when the tool declares none.
   *
   * @throws `MissingIdempotencyKey` when the input does not yield one.
   */
  readonly idempotencyKey?: (input: JsonValue) => string;

  /**
   * Takes apart an input that goes on with a call that was suspended, by carrying what the run was resumed with. `undefined` for
   * any other input; absent for a tool whose inputs carry nothing. Whoever performs the call holds the answer against the log.
   */
  readonly continues?: (input: JsonValue) => Continuation | undefined;

  /** What is wrong with an input, before anything is recorded of a call; absent when `inputSchema` says it all. */
  readonly judgeInput?: ToolJudge;
  /** Judges what somebody else says that a call answered; absent when `outputSchema` says it all, or nothing does. */
  readonly judgeOutput?: ToolJudge;

  /**
   * Performs one attempt at a call.
   *
   * @returns the answer or the suspension, as plain JSON data that can be recorded as it is.
   * @throws a `ToolError` when the call definitely failed.
   * @throws `UnknownOutcomeError` when a `write` may have had its effect and there is no answer to record.
   */
  callJson(ctx: ToolCtx, input: JsonValue): Promise<CallOutcome>;
}

/** A call that goes on with one that was suspended. */
export interface Continuation {
  /** The input of the call that was suspended. */
  readonly input: JsonValue;
  /** What the run was resumed with. */
  readonly answer: JsonValue;
}

/** What a call came to. */
export type CallOutcome =
  | { readonly outcome: "output"; readonly output: JsonValue }
  | { readonly outcome: "suspend"; readonly reason: string; readonly inputSchema: JsonSchema };
