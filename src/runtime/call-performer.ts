import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import { performCall, type Timing } from "../contract/perform-call.js";
import type { ToolLog } from "../contract/tool-handler.js";
import { endingOf, type Ending } from "./call-ending.js";
import { OutcomeUnknown, ToolFailed, type CallName } from "./call-errors.js";
import { IntentDesk } from "./intent-desk.js";
import { recordableTool, recordEnding } from "./record-ending.js";
import type { Recorder } from "./recorder.js";
import type { AskedCall, Replay } from "./replay.js";
import { RunSuspended } from "./run-errors.js";

export interface PerformerSettings {
  readonly timing: Timing;
  readonly log: ToolLog;
}

/**
 * Performs calls where a run stands: the intent first, then the tool, then the completion. One call at a time. The run is
 * free for others while a tool works: a person may end it.
 */
export class CallPerformer {
  readonly #intents: IntentDesk;

  constructor(
    private readonly recorder: Recorder,
    private readonly replay: Replay,
    private readonly settings: PerformerSettings,
  ) {
    this.#intents = new IntentDesk(replay);
  }

  /** Performs a call, or answers what is recorded of it. */
  async perform(tool: DynTool, asked: AskedCall, signal: AbortSignal | undefined): Promise<JsonValue> {
    signal?.throwIfAborted();
    const { run } = this.replay;
    const step = await this.recorder.within(run, undefined, (desk) => this.#intents.open(desk, tool, asked));
    if (step.kind === "perform") {
      // Opened and not performed: this instance may still perform it later.
      signal?.throwIfAborted();
      return this.#execute(tool, asked, step.call, signal);
    }
    this.replay.moveTo(step.next);
    if (step.result.kind === "output") return step.result.output;
    const { kind, message, attempts } = step.result.failure;
    throw new ToolFailed(tool.name, step.seq, kind, message, attempts);
  }

  async #execute(
    tool: DynTool,
    asked: AskedCall,
    call: CallName,
    signal: AbortSignal | undefined,
  ): Promise<JsonValue> {
    this.replay.hand(asked);
    const { effect } = tool;
    const { seq, idempotencyKey } = call;
    const ending = endingOf(
      call,
      effect,
      await this.recorder.aroundCall({ run: this.replay.run, seq, tool: tool.name, effect }, () =>
        performCall({
          tool: recordableTool(tool),
          input: asked.input,
          effect,
          runId: this.replay.run,
          seq,
          idempotencyKey,
          signal,
          ...this.settings,
        }),
      ),
    );
    // Without the caller's signal: what has happened is recorded, whoever still waits for it.
    const recorded = this.recorder.within(this.replay.run, undefined, (desk) =>
      recordEnding(desk, call, ending),
    );
    const contradiction = await recorded.catch((cause: unknown) => {
      if (effect !== "write") throw cause;
      throw new OutcomeUnknown(call, "ended, and how it ended could not be recorded", {
        cause,
        ...(ending.kind === "output" && { output: ending.recorded }),
      });
    });
    if (contradiction !== undefined) throw contradiction;
    return this.#conclude(call, ending);
  }

  #conclude({ tool, seq }: CallName, ending: Ending): JsonValue {
    if (ending.kind === "suspended") {
      const { reason, input_schema } = ending.suspension;
      throw new RunSuspended(this.replay.run, seq + 2, reason, input_schema);
    }
    this.replay.moveTo(seq + 2);
    if (ending.kind === "output") return ending.recorded;
    const { kind, message, attempts } = ending.failure;
    throw new ToolFailed(tool, seq, kind, message, attempts, { cause: ending.cause });
  }
}
