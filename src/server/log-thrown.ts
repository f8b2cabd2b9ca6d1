import type { Logger } from "pino";
import { causeChain } from "../contract/cause-chain.js";
import { errorFacts } from "./error-facts.js";

export interface ThrownContext {
  /** Whether its text may be told: what a tool throws may hold what it was called with. */
  readonly told: boolean;
  /** What else the line says. */
  readonly fields?: object | undefined;
}

/** Logs something that was thrown. Never throws itself: it may be anything, also what breaks whoever looks at it. */
export function logThrown(
  logger: Logger,
  thrown: unknown,
  message: string,
  { told, fields }: ThrownContext,
): void {
  try {
    logger.error({ ...fields, err: errorFacts(thrown, told) }, message);
  } catch {
    logger.error(
      { ...fields, err: told ? causeChain(thrown) : "an error that does not let itself be looked at" },
      message,
    );
  }
}
