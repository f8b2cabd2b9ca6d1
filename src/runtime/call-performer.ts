import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import { performCall, type Performance, type Timing } from "../contract/perform-call.js";
import type { ToolLog } from "../contract/tool-handler.js";
import { holds, type RunEvent } from "../log/events.js";
import { jsonEqual } from "../log/json-equal.js";
import { endingOf, recordable, type Ending } from "./call-ending.js";
import { OutcomeUnknown, ToolFailed, type CallName } from "./call-errors.js";
import { claimChange } from "./claims.js";
import { Divergence } from "./divergence.js";
import { IntentDesk } from "./intent-desk.js";
import type { Recorder } from "./recorder.js";
import type { AskedCall, Replay } from "./replay.js";
import { RunSuspended } from "./run-errors.js";
import { inToolScope } from "./tool-scope.js";

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
        inToolScope(tool.name, () =>
          performCall({
            tool: checked(tool),
            input: asked.input,
            effect,
            runId: this.replay.run,
            seq,
            idempotencyKey,
            signal,
            ...this.settings,
          }),
        ),
      ),
    );
    // Without the caller's signal: what has happened is recorded, whoever still waits for it.
    const contradiction = await this.#record(call, ending).catch((cause: unknown) => {
      if (effect !== "write") throw cause;
      throw new OutcomeUnknown(call, "ended, and how it ended could not be recorded", {
        cause,
        ...(ending.kind === "output" && { output: ending.recorded }),
      });
    });
    if (contradiction !== undefined) throw contradiction;
    return this.#conclude(call, ending);
  }

  /** Records how a call ended, unless that is recorded already; answers what contradicts it there. */
  #record(call: CallName, ending: Ending): Promise<Divergence | undefined> {
    const { seq, idempotencyKey: key } = call;
    const { run } = this.replay;
    return this.recorder.within(run, undefined, async (desk) => {
      const { pending } = desk.state;
      if (pending?.kind !== "tool" || pending.seq !== seq) {
        const [completion] = await desk.read(seq + 1, 1);
        const isSame =
          holds(completion, "ToolCallCompleted") &&
          jsonEqual(completion.event.payload.output, ending.recorded);
        return isSame ? undefined : contradicted(run, call, ending);
      }
      const events: RunEvent[] = [
        { kind: "ToolCallCompleted", payload: { seq, output: ending.recorded } },
        ...(ending.kind === "suspended" ? [{ kind: "Suspended", payload: ending.suspension } as const] : []),
      ];
      await desk.append(events, await claimChange(desk.store, { run, seq, key }, ending.recorded));
      return undefined;
    });
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

function checked(tool: DynTool): Performance["tool"] {
  return {
    name: tool.name,
    ...(tool.timeoutMs !== undefined && { timeoutMs: tool.timeoutMs }),
    callJson: async (ctx, input) => recordable(tool.name, await tool.callJson(ctx, input)),
  };
}

/** Somebody else has said how a call ended while its tool was working, and said something else. */
function contradicted(run: string, { tool, seq, idempotencyKey }: CallName, ending: Ending): Divergence {
  return new Divergence(
    `${tool} (call ${seq} of run ${run}, key ${String(idempotencyKey)}) ran, and meanwhile another end of it was recorded: ` +
      "tell whoever settled it what came of it",
    { position: seq + 1, asked: ending.recorded },
  );
}
