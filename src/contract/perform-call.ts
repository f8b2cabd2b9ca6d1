import type { CallOutcome, DynTool } from "./dyn-tool.js";
import type { Effect } from "./effect.js";
import type { JsonValue } from "./json.js";
import { RetryPolicy } from "./retry-policy.js";
import { HandlerFailed } from "./tool-errors.js";
import type { ToolCtx, ToolLog } from "./tool-handler.js";

/** How whoever performs calls waits and draws lots: handed in, because this folder reads no clock. */
export interface Timing {
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1: what spreads the retries of many callers. */
  readonly random: () => number;
}

/** A call that is recorded and may be performed. */
export interface Performance {
  readonly tool: Pick<DynTool, "name" | "timeoutMs" | "callJson">;
  readonly input: JsonValue;
  /** As recorded. */
  readonly effect: Effect;
  readonly runId: string;
  readonly seq: number;
  readonly idempotencyKey: string | null;
  readonly log: ToolLog;
  readonly signal?: AbortSignal | undefined;
  readonly timing: Timing;
  /** Told how an attempt ended that had been given up: nobody else is. */
  readonly onLate?: ((ended: CallOutcome | Failed) => void) | undefined;
}

/** A tool that took longer than it may. */
export class CallTimeout extends Error {
  override readonly name = "CallTimeout";
  readonly code = "call_timeout";
  constructor(
    readonly tool: string,
    readonly timeoutMs: number,
  ) {
    super(`${tool} took longer than ${timeoutMs} ms`);
  }
}

/** How a performance ended badly: what was thrown last, and after how many attempts. */
export interface Failed {
  readonly outcome: "failed";
  readonly error: unknown;
  readonly attempts: number;
}

/**
 * Performs a call as often as its effect allows: a `write` once; a `read` or an `idempotent` call again, under the same key,
 * while its handler fails.
 *
 * @throws the signal's reason when the caller gave up between two attempts.
 */
export async function performCall(call: Performance): Promise<CallOutcome | Failed> {
  const policy = RetryPolicy.forEffect(call.effect);
  for (let attempt = 1; ; attempt += 1) {
    call.signal?.throwIfAborted();
    try {
      return await attemptCall(call, attempt);
    } catch (error) {
      // A write that was given up may have happened: that is for its caller to judge.
      if (call.effect !== "write") call.signal?.throwIfAborted();
      if (policy.kind === "never" || attempt >= policy.maxAttempts || !mayPass(error)) {
        return { outcome: "failed", error, attempts: attempt };
      }
      const full = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
      const asked = error instanceof HandlerFailed ? (error.retryAfterMs ?? 0) : 0;
      const { wait, random } = call.timing;
      await wait(Math.min(policy.maxDelayMs, Math.max(asked, random() * full)), call.signal);
    }
  }
}

/** Whether another attempt may do better: a refused input or output is refused again. */
function mayPass(error: unknown): boolean {
  return error instanceof HandlerFailed || error instanceof CallTimeout;
}

/** How long a handler whose signal was aborted may take to say how it ended, in milliseconds. */
const GRACE_MS = 1_000;

async function attemptCall(call: Performance, attempt: number): Promise<CallOutcome> {
  const { tool, signal, idempotencyKey, runId, seq, log } = call;
  const giving = new AbortController();
  const ended = new AbortController();
  const onAbort = (): void => {
    giving.abort(signal?.reason);
  };
  const after = (ms: number, act: () => void): void => {
    call.timing.wait(ms, ended.signal).then(act, () => undefined);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const { timeoutMs } = tool;
  if (timeoutMs !== undefined) {
    after(timeoutMs, () => {
      giving.abort(new CallTimeout(tool.name, timeoutMs));
    });
  }
  // A handler that does not heed its signal must not hold the run for ever.
  let isGivenUp = false;
  const givenUp = new Promise<never>((_, reject) => {
    giving.signal.addEventListener("abort", () => {
      after(GRACE_MS, () => {
        isGivenUp = true;
        reject(giving.signal.reason as Error);
      });
    });
  });
  const key = idempotencyKey === null ? {} : { idempotencyKey };
  const ctx: ToolCtx = { ...key, signal: giving.signal, attempt, runId, seq, log };
  try {
    const work = tool.callJson(ctx, call.input);
    const late = (ended: CallOutcome | Failed): void => {
      if (isGivenUp) call.onLate?.(ended);
    };
    work.then(late, (error: unknown) => {
      late({ outcome: "failed", error, attempts: attempt });
    });
    return await Promise.race([work, givenUp]);
  } finally {
    ended.abort();
    signal?.removeEventListener("abort", onAbort);
  }
}
