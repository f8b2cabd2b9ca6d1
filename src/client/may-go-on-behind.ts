import { RunEndedError, ToolFailedError } from "./run-errors.js";
import { BadRequestError, UnknownToolError } from "./wire-errors.js";

/**
 * Whether what waits may go on by itself behind a call that threw: it ended, and is recorded so; or nothing of it is
 * recorded, and nothing will be, whenever the program runs again.
 *
 * @param isNotMade whether the call was given up before anything of it was sent.
 */
export function mayGoOnBehind(error: unknown, isNotMade: boolean): boolean {
  return (
    isNotMade ||
    error instanceof ToolFailedError ||
    error instanceof RunEndedError ||
    error instanceof BadRequestError ||
    error instanceof UnknownToolError
  );
}
