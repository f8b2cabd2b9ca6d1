import { setMaxListeners } from "node:events";
import type { CallOutcome } from "../../contract/dyn-tool.js";
import type { Effect } from "../../contract/effect.js";
import { HandlerError } from "../../contract/handler-errors.js";
import { performCall, type Failed } from "../../contract/perform-call.js";
import { HandlerFailed } from "../../contract/tool-errors.js";
import { Conflict, StoreUnavailable } from "../../store/errors.js";
import type { Execution } from "../../store/event-store.js";
import { endingOf, type Ending } from "../call-ending.js";
import { OutcomeUnknown, type CallName } from "../call-errors.js";
import type { Recorder } from "../recorder.js";
import { recordableTool, recordEnding } from "../record-ending.js";
import { refusedContent } from "../refused-content.js";
import { asCall, type CurrentCall } from "./current-call.js";
import { Heartbeat } from "./heartbeat.js";
import type { HostedSettings } from "./hosted-options.js";
import type { OpenPlan } from "./plan-call.js";

/** The waits between attempts to record how a call ended while the store cannot be written, in milliseconds. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [100, 5_000];

/** How long is waited in all: longer than a database takes to fail over. */
const ALL_WAITS_MS = 300_000;

/** Hands opened calls to their tools and sees to it that what came of them is recorded, whenever that is known. */
export class Executor {
  readonly #aborting = new AbortController();

  constructor(
    private readonly recorder: Recorder,
    private readonly settings: HostedSettings,
  ) {
    // Every call that is being performed listens.
    setMaxListeners(0, this.#aborting.signal);
  }

  /** Gives up every call that is being performed: its tool's signal is aborted. */
  abort(reason: Error): void {
    this.#aborting.abort(reason);
  }

  /**
   * Performs a call whose intent is durable. It has a recorded end then, or is a `write` of unknown outcome.
   *
   * @param execution held since before the intent was.
   * @throws the reason of {@link abort} when a `read` or an `idempotent` call was given up; it stays open.
   * @throws `StoreUnavailable` when its end cannot be recorded.
   */
  async execute(run: string, { asked, tool, intent }: OpenPlan, execution: Execution): Promise<void> {
    const { seq, effect, idempotency_key: idempotencyKey } = intent.payload;
    const call = { tool: tool.name, seq, idempotencyKey };
    const current: CurrentCall = { run, seq, tool: tool.name };
    const { timing, timeoutMs, executionTtlMs, logOf, onTrouble } = this.settings;
    const signal = this.#givenUp(asked.signal);
    const onBeat = (error: unknown): void => {
      onTrouble("the execution of a hosted tool could not be renewed", current, error, "server");
    };
    const heartbeat = new Heartbeat(this.recorder.store, run, execution, executionTtlMs, onBeat);
    try {
      const performance = {
        tool: { timeoutMs, ...recordableTool(tool) },
        input: asked.input,
        ...{ effect, runId: run, seq, idempotencyKey, timing },
        log: logOf(current),
        signal,
        onLate: (late: CallOutcome | Failed) => void this.#late(current, call, effect, late),
      };
      const end =
        effect === "write" && signal.aborted
          ? neverBegan(tool.name)
          : await this.recorder.aroundCall({ ...current, effect }, () =>
              asCall(current, () => performCall(performance)),
            );
      await this.#record(run, call, endingOf(call, effect, end));
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      const trouble = "a write of a hosted tool has an unknown outcome: a person settles it";
      onTrouble(trouble, current, error.cause, "tool");
    } finally {
      await heartbeat.stop().catch(onBeat);
    }
  }

  /** Aborted when the call is given up: by whoever asked for it, or because every call is. */
  #givenUp(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#aborting.signal : AbortSignal.any([this.#aborting.signal, signal]);
  }

  /** What a tool came to that had been given up: it ends the call if that is still open, else it is kept beside it. */
  async #late(
    current: CurrentCall,
    call: CallName,
    effect: Effect,
    late: CallOutcome | Failed,
  ): Promise<void> {
    // Another attempt may be under way; and a failure says nothing that whoever gave it up does not know.
    if (late.outcome === "failed" && effect !== "write") return;
    try {
      await this.#record(current.run, call, endingOf(call, effect, late));
    } catch (error) {
      if (error instanceof OutcomeUnknown) return;
      const trouble = "the late result of a hosted tool could not be recorded";
      this.settings.onTrouble(trouble, current, error, "server");
    }
  }

  /** Records how a call ended; also when the store cannot be written for a while. */
  async #record(run: string, call: CallName, ending: Ending): Promise<void> {
    let [pause, left] = [FIRST_WAIT_MS, ALL_WAITS_MS];
    for (;;) {
      try {
        await this.#recordOnce(run, call, ending);
        return;
      } catch (error) {
        const { signal } = this.#aborting;
        if (!mayPass(error) || left <= 0) throw error;
        await this.settings.timing.wait(pause, signal).catch(() => undefined);
        if (signal.aborted) throw error;
        left -= pause;
        pause = Math.min(2 * pause, LONGEST_WAIT_MS);
      }
    }
  }

  async #recordOnce(run: string, call: CallName, ending: Ending): Promise<void> {
    const { recorder } = this;
    // Without a driver's lease: what has happened is recorded, whoever drives the run by now.
    const contradiction = await recorder.within(run, undefined, (desk) => recordEnding(desk, call, ending));
    if (contradiction === undefined) return;
    const { code, message } = contradiction;
    const report = {
      seq: call.seq,
      time: recorder.stamp(),
      code,
      message,
      ...refusedContent(contentOf(ending)),
    };
    await recorder.store.recordRefusal(run, report);
  }
}

/** The end of a `write` that was given up when only its intent was recorded: nobody need wonder whether it happened. */
function neverBegan(tool: string): Failed {
  const error = new HandlerFailed(tool, new HandlerError("the call was given up before its tool was run"));
  return { outcome: "failed", error, attempts: 0 };
}

/** Another server may have recorded something since the run was looked at: it is looked at again. */
function mayPass(error: unknown): boolean {
  return error instanceof StoreUnavailable || error instanceof Conflict;
}

function contentOf(ending: Ending) {
  switch (ending.kind) {
    case "output":
      return { output: ending.recorded };
    case "suspended":
      return { suspend: ending.suspension };
    case "failed": {
      const { kind, message } = ending.failure;
      return { error: { kind, message } };
    }
  }
}
