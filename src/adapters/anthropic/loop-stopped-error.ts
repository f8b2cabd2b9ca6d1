import { AnthropicError } from "@anthropic-ai/sdk/error";
import { SalvorError, waitOf, type RunWait } from "../../client/index.js";

/**
 * The loop was stopped by its run: at a call of a tool of which the model is not told, for it would ask again, or where a message could
 * not be recorded. When `wait` says what a person has to do, the loop is repeated after that; else at once. It goes on where it was.
 *
 * It names what stopped it in fields of its own and not as its `cause` or in its words: by those, the SDK would take it for a
 * connection that failed, and send the request again.
 */
export class LoopStoppedError extends AnthropicError {
  override readonly name = "LoopStoppedError";
  /** What it waits for, when a person has to act. */
  readonly wait: RunWait | undefined;

  constructor(
    /** What went wrong: an error of the run, or what a tool threw. */
    readonly stoppedBy: unknown,
  ) {
    const wait = waitOf(stoppedBy);
    const code = stoppedBy instanceof SalvorError ? stoppedBy.code : "an error that is not the run's";
    super(
      wait === undefined
        ? `the loop was stopped (${code}): see stoppedBy, and run it again`
        : `the loop was stopped: call ${wait.seq} of run ${wait.runId} waits for a person (${wait.kind}), see wait`,
    );
    this.wait = wait;
  }
}
