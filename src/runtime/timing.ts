import { setTimeout as sleep } from "node:timers/promises";
import type { Timing } from "../contract/perform-call.js";

/** The wall clock and `Math.random`. */
export const WALL_CLOCK: Timing = Object.freeze({
  wait: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, signal && { signal }),
  random: Math.random,
});
