import { toolInScope } from "../runtime/tool-scope.js";
import { errorFacts } from "../server/error-facts.js";
import { EXIT } from "./cli-error.js";
import type { ServerLog } from "./server-log.js";

/**
 * Decides what becomes of a server when an error reaches nobody.
 *
 * - A rejection that nobody handled is logged, and the server goes on: the work that failed is over, whoever asked for it was
 *   answered, and nothing that is durable depends on it.
 * - An exception that a tool threw from a callback of its own is logged with the tool's name, and the server goes on.
 * - Any other exception that nobody caught may have left something in memory half changed, on which the next write would be
 *   judged. The server says so and ends with 1, at once and without a further write: what is on disk is whole at every moment,
 *   and a server that is started again goes on from there.
 */
export function guardProcess(log: ServerLog): void {
  const { logger } = log;
  process.on("unhandledRejection", (reason) => {
    logger.error(facts(reason), "a rejection that nobody handled");
  });
  process.on("uncaughtException", (thrown) => {
    if (toolInScope() !== undefined) {
      logger.error(facts(thrown), "a tool threw where nobody could catch it");
      return;
    }
    logger.fatal(facts(thrown), "an exception that nobody caught; the server ends");
    log.flush();
    process.exit(EXIT.failed);
  });
}

/** The text of a tool's error is the tool's own, and may hold what it was called with. */
function facts(thrown: unknown): object {
  const tool = toolInScope();
  return { tool, err: errorFacts(thrown, tool === undefined) };
}
