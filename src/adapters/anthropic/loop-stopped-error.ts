import { AnthropicError } from "@anthropic-ai/sdk/error";
import type { RunWait } from "../../client/index.js";

/**
 * The tool runner was stopped at a call of a tool: the model is not told of it, for it would ask again. When `wait` says what a
 * person has to do, the loop is repeated after that; else at once. It goes on where it was.
 *
 * It names what stopped it in fields of its own and not as its `cause`: by that, the SDK would send a request again.
 */
export class LoopStoppedError extends AnthropicError {
  override readonly name = "LoopStoppedError";

  constructor(
    /** What the call threw. */
    readonly stoppedBy: unknown,
    /** What it waits for, when a person has to act. */
    readonly wait: RunWait | undefined,
  ) {
    super(
      wait === undefined
        ? "the loop stopped at a call of a tool: see stoppedBy, and run it again"
        : `the loop stopped: call ${wait.seq} of run ${wait.runId} waits for a person (${wait.kind}), see wait`,
    );
  }
}
