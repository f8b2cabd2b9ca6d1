import { setTimeout as sleep } from "node:timers/promises";
import type { Timing } from "../contract/perform-call.js";

/** The wall clock and `Math.random`. */
export const WALL_CLOCK: Timing = Object.freeze({ wait, random: Math.random });

async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (error) {
    // Node's own error only has the reason as its cause.
    signal?.throwIfAborted();
    throw error;
  }
}
