import type { IntentAnswer } from "./answers.js";
import { reportDiffers } from "./call-errors.js";
import type { AskedCall, RunCursor } from "./run-cursor.js";
import { UndeliveredReportError, type CallName } from "./run-errors.js";
import { SalvorError } from "./salvor-error.js";
import type { SalvorClient } from "./salvor-client.js";
import { UnexpectedAnswerError } from "./transport-error.js";
import { CompletionRefusedError, DivergenceError, type Report } from "./wire-errors.js";

/** Delivers what calls came to. One that does not arrive is kept, and delivered first when the run goes on. */
export class Reports {
  readonly #client: SalvorClient;
  readonly #cursor: RunCursor;
  #undelivered: UndeliveredReportError | undefined;
  /** Whether the server takes several steps in one request, as far as it is known. */
  #takesSteps = true;

  constructor(client: SalvorClient, cursor: RunCursor) {
    this.#client = client;
    this.#cursor = cursor;
  }

  get undelivered(): UndeliveredReportError | undefined {
    return this.#undelivered;
  }

  /** Delivers the report that did not arrive, if there is one. */
  async deliverFirst(): Promise<void> {
    const late = this.#undelivered;
    if (late === undefined) return;
    this.#undelivered = undefined;
    await this.deliver(late, late.report);
  }

  /** Delivers what somebody found out about a call, in place of the report on it that did not arrive. */
  async deliverInstead(call: CallName, report: Report): Promise<void> {
    const held = this.#undelivered;
    if (held?.seq === call.seq) this.#undelivered = undefined;
    try {
      await this.deliver(call, report);
    } catch (error) {
      // What was found out is not good enough; what the tool said is still to be heard.
      if (error instanceof CompletionRefusedError) this.#undelivered ??= held;
      throw error;
    }
  }

  async deliver(call: CallName, report: Report): Promise<void> {
    const { seq, idempotencyKey } = call;
    try {
      await this.#client.toolCompletion(this.#cursor.drive, seq, report);
    } catch (error) {
      if (error instanceof CompletionRefusedError) throw error.under(idempotencyKey);
      if (error instanceof DivergenceError) throw await this.#differing(call, report, error);
      throw this.#keep(call, report, error);
    }
  }

  /**
   * Delivers a report and opens the call that waits behind it, at once and in one durable append. A report is never held
   * back for that, and when the next call may not be opened, it is delivered without it.
   *
   * @returns the next call as it was opened, or `undefined` when it was not.
   */
  async deliverAndOpen(call: CallName, report: Report, next: AskedCall): Promise<IntentAnswer | undefined> {
    if (this.#takesSteps) {
      const seq = call.seq + 2;
      this.#cursor.makeAhead(seq, next);
      try {
        const closing = { toolCompletion: { seq: call.seq, report } };
        const [, opened] = await this.#client.steps(this.#cursor.drive, [
          closing,
          { toolIntent: { seq, ...next } },
        ]);
        return opened;
      } catch (error) {
        if (!isRefusal(error)) throw this.#keep(call, report, error);
        // Whichever step was refused, the report has to be heard, and its own endpoint keeps it if not.
        // Only the server's own word means that nothing was recorded; what something between it and us says does not.
        if (!(error instanceof UnexpectedAnswerError)) this.#cursor.notAhead();
        if (error.code === "not_found" || error.code === "method_not_allowed") this.#takesSteps = false;
      }
    }
    await this.deliver(call, report);
    return undefined;
  }

  #keep(call: CallName, report: Report, cause: unknown): UndeliveredReportError {
    this.#undelivered = new UndeliveredReportError(call, report, cause);
    return this.#undelivered;
  }

  /** The call is recorded with another end than the one that was reported, or its run is over. */
  async #differing(call: CallName, report: Report, refusal: DivergenceError): Promise<Error> {
    try {
      await this.#cursor.refresh();
    } catch {
      return reportDiffers(call, report, undefined, refusal);
    }
    return reportDiffers(call, report, this.#cursor.eventAt(call.seq + 1)?.event, refusal);
  }
}

/** Whether the request was answered with a no. */
function isRefusal(error: unknown): error is SalvorError {
  return (
    error instanceof SalvorError && error.status !== undefined && error.status >= 400 && error.status < 500
  );
}
