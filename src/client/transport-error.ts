import { SalvorError } from "./salvor-error.js";

/**
 * No answer came: the server was not reached, or it was and the answer was lost. Whether the request took effect is not
 * known. Reads, opens with a run id, events, intents and completions may be sent again unchanged; before a person's
 * decision is sent again, read the run.
 */
export class TransportError extends SalvorError {
  override readonly name = "TransportError";
  constructor(
    /** Method and path, as `POST /v1/client-runs`. */
    readonly request: string,
    cause: unknown,
  ) {
    super(`${request}: no answer: ${reasonOf(cause)}`, { code: "transport", cause });
  }
}

/** An answer that is not what the wire contract says: something else than a Salvor server spoke, or one of another version. */
export class UnexpectedAnswerError extends SalvorError {
  override readonly name = "UnexpectedAnswerError";
  constructor(
    readonly request: string,
    status: number,
    problem: string,
    cause?: unknown,
  ) {
    super(`${request}: the answer (status ${status}) is not one of a Salvor server: ${problem}`, {
      code: "unexpected_answer",
      status,
      cause,
    });
  }
}

/** The outermost messages of a cause chain: `fetch failed` alone says nothing. */
function reasonOf(cause: unknown): string {
  const reasons: string[] = [];
  for (let at = cause; at instanceof Error && reasons.length < 4; at = at.cause) {
    if (at.message !== "") reasons.push(at.message);
  }
  return reasons.length > 0 ? reasons.join(": ") : String(cause);
}
