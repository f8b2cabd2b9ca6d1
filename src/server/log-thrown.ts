import type { Logger } from "pino";
import { causeChain } from "../contract/cause-chain.js";
import { errorFacts } from "./error-facts.js";

/** Logs something that was thrown. Never throws itself: it may be anything, also what breaks whoever looks at it. */
export function logThrown(logger: Logger, thrown: unknown, message: string, fields: object = {}): void {
  try {
    logger.error({ ...fields, err: errorFacts(thrown, true) }, message);
  } catch {
    logger.error({ ...fields, err: causeChain(thrown) }, message);
  }
}
