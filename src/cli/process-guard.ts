import type { Logger } from "pino";
import { currentCall } from "../runtime/hosted/current-call.js";
import { logThrown } from "../server/index.js";

/** Ends the process, also while {@link guardForeignCode} keeps others from it. */
export const exitProcess = process.exit.bind(process);

/** Has a rejection that nobody handled logged, with the hosted call that it came from, instead of ending the process. */
export function guardRejections(logger: Logger): void {
  process.on("unhandledRejection", (reason) => {
    logThrown(logger, reason, "a rejection that nobody handled", currentCall());
  });
}

/**
 * Keeps code that somebody else wrote, and that runs in this process, from ending it: what it throws where nobody can catch
 * it is logged, and `process.exit` throws.
 */
export function guardForeignCode(logger: Logger): void {
  process.on("uncaughtException", (error) => {
    logThrown(logger, error, "an exception that nobody caught", currentCall());
  });
  process.exit = (): never => {
    throw new Error("process.exit was called in a server: a hosted tool cannot end it");
  };
}
