import type { Logger } from "pino";
import { currentCall } from "../runtime/hosted/current-call.js";
import { errorFacts } from "../server/error-facts.js";
import { logThrown } from "../server/index.js";
import { EXIT } from "./cli-error.js";
import { exitProcess } from "./exit-process.js";
import type { ServerLog } from "./server-log.js";

/**
 * Has a rejection that nobody handled logged, with the hosted call that it came from, instead of ending the process.
 *
 * @param told whether the log may hold its text.
 */
export function guardRejections(logger: Logger, told: boolean): void {
  process.on("unhandledRejection", (reason) => {
    logThrown(logger, reason, "a rejection that nobody handled", { told, fields: currentCall() });
  });
}

/**
 * Ends a server in which an exception reached nobody, and says so first: something in memory may be half changed, on which the
 * next write would be judged. It ends at once and without a further write: what is on disk is whole at every moment, and a
 * server that is started again goes on from there.
 */
export function endUncaught(log: ServerLog): void {
  process.on("uncaughtException", (error) => {
    log.logger.fatal({ err: errorFacts(error, true) }, "an exception that nobody caught; the server ends");
    log.flush();
    exitProcess(EXIT.failed);
  });
}

/**
 * Keeps code that somebody else wrote, and that runs in this process, from ending it: what it throws where nobody can catch
 * it is logged, and `process.exit` throws.
 *
 * @param told whether the log may hold its text.
 */
export function guardForeignCode(logger: Logger, told: boolean): void {
  process.on("uncaughtException", (error) => {
    logThrown(logger, error, "an exception that nobody caught", { told, fields: currentCall() });
  });
  process.exit = (): never => {
    throw new Error("process.exit was called in a server: a hosted tool cannot end it");
  };
}
