import type { JsonSchema, JsonValue } from "../contract/json.js";
import type { FailureKind } from "../contract/reserved.js";
import type { Violation } from "../contract/validator.js";
import type { RunStatus } from "../log/fold.js";
import { SalvorError } from "./salvor-error.js";
import type { Report } from "./wire-errors.js";

/** A call, and the key that it is performed under: what a person or a provider knows it by. */
export interface CallName {
  readonly tool: string;
  /** The position of its intent. */
  readonly seq: number;
  readonly idempotencyKey: string | null;
}

/** The call is recorded as failed: its effect did not happen, as far as its author or a person knows. */
export class ToolFailedError extends SalvorError {
  override readonly name = "ToolFailedError";
  readonly tool: string;
  readonly seq: number;

  constructor(
    call: { readonly tool: string; readonly seq: number },
    /** What failed: the input, the handler, or the recording of the output. */
    readonly kind: FailureKind,
    /** What the log says about it. */
    readonly reason: string,
    /** How often it was tried; 0 when a person said that it was not performed. */
    readonly attempts: number,
    cause?: unknown,
  ) {
    super(`${call.tool} (call ${call.seq}) failed (${kind}): ${reason}`, { code: "tool_failed", cause });
    this.tool = call.tool;
    this.seq = call.seq;
  }
}

/** The call waits for a person's input. Perform it again after the run was resumed: the input is then its result. */
export class SuspendedError extends SalvorError {
  override readonly name = "SuspendedError";
  /** The position of the suspension, two behind the intent: what a person answers. */
  readonly suspendedAt: number;

  constructor(
    /** The position of the call's intent. */
    readonly seq: number,
    readonly reason: string,
    /** What an acceptable input looks like. */
    readonly inputSchema: JsonSchema,
  ) {
    super(`call ${seq} waits for a person: ${reason}`, { code: "suspended" });
    this.suspendedAt = seq + 2;
  }
}

/**
 * A `write` ran, and its output is not what was declared, so it was not reported. The effect happened; the call stays open.
 * Find out what it came to, by its key, and {@link ClientRun.report} that, or leave it to a person.
 */
export class OutputRefusedError extends SalvorError {
  override readonly name = "OutputRefusedError";
  readonly tool: string;
  readonly seq: number;
  readonly idempotencyKey: string | null;

  constructor(
    call: CallName,
    readonly violations: readonly Violation[],
    /** What the tool returned, where it is known. */
    readonly output?: JsonValue,
    cause?: unknown,
  ) {
    const found = violations.map(({ path, message }) => `${path}: ${message}`).join("; ");
    super(
      `${call.tool} (call ${call.seq}) ran, and its output was not reported: ${found}. The call stays open under its ` +
        `key ${String(call.idempotencyKey)}: report a corrected output, or a person settles it.`,
      { code: "output_refused", cause },
    );
    this.tool = call.tool;
    this.seq = call.seq;
    this.idempotencyKey = call.idempotencyKey;
  }
}

/**
 * A `write` ended without saying whether its effect happened. Nothing was reported and nothing is executed again: look the
 * call up by its key, and report what it came to, or leave it to a person.
 */
export class UnknownOutcomeError extends SalvorError {
  override readonly name = "UnknownOutcomeError";
  readonly tool: string;
  readonly seq: number;
  readonly idempotencyKey: string | null;

  constructor(call: CallName, problem: string, cause: unknown) {
    super(
      `${call.tool} (call ${call.seq}) is a write, and ${problem}. Its effect may have happened. The call stays open under ` +
        `its key ${String(call.idempotencyKey)} until it is settled.`,
      { code: "unknown_outcome", cause },
    );
    this.tool = call.tool;
    this.seq = call.seq;
    this.idempotencyKey = call.idempotencyKey;
  }
}

/**
 * A call ran and its report did not arrive, or its answer did not. The run keeps the report and delivers it first when it
 * goes on; a program that ends should keep `seq`, `idempotencyKey` and `output` itself.
 */
export class UndeliveredReportError extends SalvorError {
  override readonly name = "UndeliveredReportError";
  readonly tool: string;
  readonly seq: number;
  readonly idempotencyKey: string | null;
  /** The output to be reported; absent when the report is a failure or a suspension. */
  readonly output: JsonValue | undefined;

  constructor(
    call: CallName,
    readonly report: Report,
    cause: unknown,
  ) {
    super(
      `${call.tool} (call ${call.seq}) ran, and its report could not be delivered: ${cause instanceof Error ? cause.message : String(cause)}`,
      { code: "undelivered_report", cause },
    );
    this.tool = call.tool;
    this.seq = call.seq;
    this.idempotencyKey = call.idempotencyKey;
    this.output = "output" in report ? report.output : undefined;
  }
}

/** The run is over: nothing more can be recorded in it. */
export class RunEndedError extends SalvorError {
  override readonly name = "RunEndedError";
  constructor(
    readonly run: string,
    readonly runStatus: RunStatus,
  ) {
    super(`run ${run} is ${runStatus.state}: nothing more can be recorded in it`, { code: "run_ended" });
  }
}

/** The run holds no event yet, and nothing says what to start it with. */
export class RunNotStartedError extends SalvorError {
  override readonly name = "RunNotStartedError";
  constructor(readonly run: string) {
    super(`run ${run} has no event yet: open it with agentDefHash and input to start it`, {
      code: "run_not_started",
    });
  }
}

/** The program had registered no tool under this name when the run was opened. */
export class UnregisteredToolError extends SalvorError {
  override readonly name = "UnregisteredToolError";
  constructor(
    readonly tool: string,
    registered: readonly string[],
  ) {
    super(
      `no tool was registered as ${tool} when the run was opened (registered: ${registered.join(", ") || "none"})`,
      {
        code: "unregistered_tool",
      },
    );
  }
}
