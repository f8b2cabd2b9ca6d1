import type { Timing } from "../../contract/perform-call.js";
import { QUIET_LOG } from "../../contract/quiet-log.js";
import type { ToolLog } from "../../contract/tool-handler.js";
import { WALL_CLOCK } from "../timing.js";
import type { CurrentCall } from "./current-call.js";

/** How a server performs its tools' calls. */
export interface HostedOptions {
  /** How many calls are performed at once, over all runs; 64 unless given. */
  readonly concurrency?: number | undefined;
  /** How many more may wait for their turn; 1024 unless given. */
  readonly lineLength?: number | undefined;
  /** How long one attempt of a tool without a `timeoutMs` of its own may take, in milliseconds; 5 minutes unless given. */
  readonly timeoutMs?: number | undefined;
  /** How long an execution counts as alive that does not say so again, in milliseconds; 15 s unless given. */
  readonly executionTtlMs?: number | undefined;
  /** How retries and timeouts wait; the wall clock and `Math.random` unless given. */
  readonly timing?: Timing | undefined;
  /** Where a call's tool says what it is doing; nowhere unless given. */
  readonly logOf?: ((call: CurrentCall) => ToolLog) | undefined;
  /** Told what went wrong with a call and reaches no caller. What a tool threw is its own text, and may say what it was given. */
  readonly onTrouble?:
    ((trouble: string, call: CurrentCall, error: unknown, thrownBy: "tool" | "server") => void) | undefined;
}

export type HostedSettings = { readonly [K in keyof HostedOptions]-?: NonNullable<HostedOptions[K]> };

/** @throws RangeError when a number is none that counts or measures anything. */
export function hostedSettings(options: HostedOptions): HostedSettings {
  const { concurrency = 64, lineLength = 1024, timeoutMs = 300_000, executionTtlMs = 15_000 } = options;
  const numbers = { concurrency, timeoutMs, executionTtlMs };
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`${name} is ${value}: it must be a whole number from 1 on`);
    }
  }
  if (timeoutMs > MAX_TIMER_MS) throw new RangeError(`timeoutMs is ${timeoutMs}: at most ${MAX_TIMER_MS}`);
  return {
    ...numbers,
    lineLength,
    timing: options.timing ?? WALL_CLOCK,
    logOf: options.logOf ?? (() => QUIET_LOG),
    onTrouble: options.onTrouble ?? (() => undefined),
  };
}

/** A timer of Node's that is set for longer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
