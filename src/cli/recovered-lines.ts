import type { RecoveryReport } from "../store/open-lowdb-store.js";
import type { ServerLog } from "./server-log.js";

/** Logs what a start found in a data folder. */
export function sayRecovered({ logger }: ServerLog): (report: RecoveryReport) => void {
  return ({ runs, cut }) => {
    if (runs > 0) logger.info({ runs }, "the data folder is recovered");
    if (cut !== undefined) {
      logger.warn(
        cut,
        "the end of the journal was cut: a batch that was being written when the last server stopped, and that nobody was told about",
      );
    }
  };
}
