import type { JsonValue } from "../../contract/json.js";
import type { Usage } from "../../log/events.js";

/** What a model answered, as it is recorded, and what it cost. */
export interface ModelAnswer {
  readonly response: JsonValue;
  readonly usage: Usage;
}

/** What a model says while it answers. What is recorded is the answer, never this. */
export type ModelDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  /** The counts so far. */
  | ({ readonly type: "usage" } & Usage);

export interface ModelCallOptions {
  /** Aborted when the answer is no longer waited for: this server stops, or the call took too long. */
  readonly signal: AbortSignal;
  /** Takes what the model says while it says it; absent when nobody asked for that. */
  readonly onDelta?: (delta: ModelDelta) => void;
}

/**
 * Calls a model for the runs of a server. `AppState.withModelExecutor` takes one; `anthropicExecutor` is the one that
 * `salvor serve` uses. It keeps no record of its own: a call whose answer was lost is made again.
 */
export interface ModelExecutor {
  /**
   * Calls the model once.
   *
   * @param request as the client sent it.
   * @throws `ModelFailure` to say what the caller is told; of any other error the caller learns only its name.
   */
  call(request: JsonValue, options: ModelCallOptions): Promise<ModelAnswer>;
}
