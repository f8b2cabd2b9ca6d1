import type { JsonValue } from "../contract/json.js";
import { SalvorError } from "./salvor-error.js";

/**
 * It waited behind a call that ended without an end that is recorded for certain (its error is the `cause`), and was not
 * executed. Ask for that call again first, then for this one.
 */
export class HeldBackError extends SalvorError {
  override readonly name = "HeldBackError";

  constructor(
    /** What was held back: the name of a tool, or a method of the run. */
    readonly what: string,
    cause: unknown,
    /** Where its intent may be recorded already, because it was sent together with a report whose answer was lost. */
    readonly openedAt?: number,
  ) {
    const recorded =
      openedAt === undefined ? "Nothing of it is recorded" : `Its intent may be recorded at ${openedAt}`;
    super(
      `${what} was not executed: it waited behind something that did not end well (${cause instanceof Error ? cause.message : String(cause)}). ` +
        `${recorded}. Ask for what went before again, then for ${what}.`,
      { code: "held_back", cause },
    );
  }
}

/** A call of this instance that the run went on behind before its answer reached anybody. */
export interface PassedCall {
  readonly tool: string;
  readonly input: JsonValue;
  readonly seq: number;
  readonly output: JsonValue;
}

/**
 * The same call was performed before, threw, and the run went on behind it. It is recorded by now, with `output`. Whether
 * this asks for that answer or for another call cannot be told, so nothing was performed: take `output`, or perform it with
 * `another: true`.
 */
export class PassedCallError extends SalvorError {
  override readonly name = "PassedCallError";
  readonly tool: string;
  /** The position of the call that was performed. */
  readonly seq: number;
  /** What is recorded as its output. */
  readonly output: JsonValue;

  constructor({ tool, seq, output }: PassedCall) {
    super(
      `${tool} was performed with this input as call ${seq}, which threw, and the run went on behind it. Nothing was ` +
        `performed now: what call ${seq} came to is this error's output. If another call is meant, perform it with { another: true }.`,
      { code: "passed_call" },
    );
    this.tool = tool;
    this.seq = seq;
    this.output = output;
  }
}
