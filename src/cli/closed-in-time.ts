import { errorFacts } from "../server/error-facts.js";
import type { ServerLog } from "./server-log.js";
import { SHUTDOWN_DEADLINE_MS, within } from "./shutdown.js";

/** Waits for a server to let go of everything, but not beyond what a stop may take; a failure is logged. Answers whether it did. */
export function closedInTime(closing: Promise<void>, { logger }: ServerLog): Promise<boolean> {
  return within(SHUTDOWN_DEADLINE_MS, closing).catch((error: unknown) => {
    logger.error({ err: errorFacts(error, true) }, "the store could not be closed");
    return false;
  });
}
