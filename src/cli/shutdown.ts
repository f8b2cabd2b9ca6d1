import { exitProcess } from "./exit-process.js";

/** The signals that ask a server to stop. */
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** A server must be gone this long after it was asked to stop, in milliseconds: supervisors kill after 10 s. */
export const SHUTDOWN_DEADLINE_MS = 9_000;

/** Listens for the signals from now on. The first one is the answer; a second one ends the process at once. */
export function whenAskedToStop(): Promise<NodeJS.Signals> {
  return new Promise((asked) => {
    let first = true;
    for (const signal of SIGNALS)
      process.on(signal, () => {
        // 128 + the signal's number is what a shell reports for a process that a signal ended.
        if (!first) exitProcess(signal === "SIGINT" ? 130 : 143);
        first = false;
        asked(signal);
      });
  });
}

/** Waits for work, but not beyond a deadline; answers whether it was done by then. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((answer) => {
    timer = setTimeout(() => {
      answer(false);
    }, ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
