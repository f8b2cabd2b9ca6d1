import type { Logger } from "pino";
import { causeChain } from "../contract/cause-chain.js";
import { currentCall } from "../runtime/hosted/current-call.js";

/** Ends the process, also while {@link guardForeignCode} keeps others from it. */
export const exitProcess = process.exit.bind(process);

/** Has a rejection that nobody handled logged, with the hosted call that it came from, instead of ending the process. */
export function guardRejections(logger: Logger): void {
  process.on("unhandledRejection", (reason) => {
    tell(logger, reason, "a rejection that nobody handled");
  });
}

/**
 * Keeps code that somebody else wrote, and that runs in this process, from ending it: what it throws where nobody can catch
 * it is logged, and `process.exit` throws.
 */
export function guardForeignCode(logger: Logger): void {
  process.on("uncaughtException", (error) => {
    tell(logger, error, "an exception that nobody caught");
  });
  process.exit = (): never => {
    throw new Error("process.exit was called in a server: a hosted tool cannot end it");
  };
}

/** Never throws: anything may have been thrown, also what breaks whoever looks at it. */
function tell(logger: Logger, thrown: unknown, message: string): void {
  const call = currentCall();
  try {
    logger.error({ ...call, err: thrown }, message);
  } catch {
    logger.error({ ...call, err: causeChain(thrown) }, message);
  }
}
