import type { Writable } from "./terminal.js";

/** One line that tells how far a long piece of work is, and goes away. */
export interface ProgressLine {
  show(text: string): void;
  /** Takes the line away; to be called before anything else is written. What follows is another piece of work. */
  clear(): void;
}

/** Work that is done sooner says nothing, in milliseconds. */
const PATIENCE = 500;

/** How often the line changes at most, in milliseconds. */
const PACE = 100;

/** A line on a person's terminal; elsewhere, nothing is ever written. Time counts from here, and from each time it goes away. */
export function progressLine(stream: Writable, now: () => number = () => performance.now()): ProgressLine {
  let next = now() + PATIENCE;
  let shown = false;
  return {
    show(text) {
      const at = now();
      if (stream.isTTY !== true || at < next) return;
      next = at + PACE;
      shown = true;
      const columns = stream.columns ?? 0;
      // A line that wraps could not be taken away again.
      stream.write(`\r\u001b[K${columns > 0 ? text.slice(0, columns - 1) : text}`);
    },
    clear() {
      if (shown) stream.write("\r\u001b[K");
      shown = false;
      next = now() + PATIENCE;
    },
  };
}
