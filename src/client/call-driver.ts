import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import { performCall } from "../contract/perform-call.js";
import { QUIET_LOG } from "../contract/quiet-log.js";
import type { ToolLog } from "../contract/tool-handler.js";
import type { DeclaredClientTool, IntentAnswer } from "./answers.js";
import { needsReconciliation, openIntentOf } from "./call-errors.js";
import type { CallOptions } from "./client-options.js";
import type { PerformOptions } from "./client-run-options.js";
import { effectDrift } from "../log/tool-drift.js";
import { DriftError } from "./drift.js";
import { judgeEnd, type Ending } from "./judge-end.js";
import { PassedCallError, type PassedCall } from "./passing-errors.js";
import { pinViolations } from "./pinned-fields.js";
import { Reports } from "./reports.js";
import type { AskedCall, FoundCall, RunCursor } from "./run-cursor.js";
import type { UndeliveredReportError } from "./run-errors.js";
import { OutputRefusedError, SuspendedError, ToolFailedError, type CallName } from "./run-errors.js";
import type { SalvorClient } from "./salvor-client.js";
import { wait } from "./wait.js";
import { DivergenceError, WrongStateError, type Report } from "./wire-errors.js";

const TIMING = { wait, random: Math.random };

/** A call that waits for its turn. */
export interface NextCall {
  readonly call: AskedCall;
  readonly options: PerformOptions;
}

export interface CallDriverOptions {
  readonly log?: ToolLog | undefined;
  /** The call that waits behind the one at hand, if one does. */
  readonly next: () => NextCall | undefined;
}

/** Performs calls where a cursor stands: the intent first, then the tool, then the report. One call at a time. */
export class CallDriver {
  readonly #client: SalvorClient;
  readonly #cursor: RunCursor;
  readonly #pins: ReadonlyMap<string, readonly string[]>;
  /** The tools whose calls are known by their content: the server answers a second one from the first. */
  readonly #identified: ReadonlySet<string>;
  readonly #log: ToolLog;
  readonly #next: () => NextCall | undefined;
  readonly #reports: Reports;
  /** The call whose turn comes next, opened together with the report on the one before it. */
  #opened: { readonly call: AskedCall; readonly intent: IntentAnswer } | undefined;

  constructor(
    client: SalvorClient,
    cursor: RunCursor,
    declared: readonly DeclaredClientTool[],
    { log = QUIET_LOG, next }: CallDriverOptions,
  ) {
    this.#client = client;
    this.#cursor = cursor;
    this.#pins = new Map(declared.map(({ name, require_equal }) => [name, require_equal ?? []]));
    const identified = declared.filter(({ idempotency_key = [] }) => idempotency_key.length > 0);
    this.#identified = new Set(identified.map(({ name }) => name));
    this.#log = log;
    this.#next = next;
    this.#reports = new Reports(client, cursor);
  }

  get undelivered(): UndeliveredReportError | undefined {
    return this.#reports.undelivered;
  }

  /**
   * The intent of a call whose turn it is, if it was opened already.
   *
   * @throws the signal's reason when it was aborted meanwhile: the call stays open and was not performed.
   */
  takeOpened(call: AskedCall, signal: AbortSignal | undefined): IntentAnswer | undefined {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened?.call !== call) return undefined;
    signal?.throwIfAborted();
    return opened.intent;
  }

  /** Performs a call, or answers what is recorded of it. The cursor knows the log. */
  async perform(tool: DynTool, call: AskedCall, options: PerformOptions): Promise<JsonValue> {
    const cursor = this.#cursor;
    let found = cursor.find(call);
    if (found.kind === "open" || found.kind === "suspended") {
      // A person may have settled or resumed it since the log was read.
      cursor.doubt();
      await cursor.refresh(options);
      found = cursor.find(call);
    }
    if (found.kind === "settled" || found.kind === "suspended") return this.#answer(call, found);
    if (found.kind === "open") {
      const { effect } = found.intent.event.payload;
      if (effect === "write" && !cursor.mayPerformFirst(call)) {
        throw needsReconciliation(cursor.drive.run, openIntentOf(found.intent));
      }
    }
    const passed = cursor.isOwn(call) ? undefined : this.#passed(call, options);
    if (passed !== undefined) throw new PassedCallError(passed);
    const seq = cursor.position;
    cursor.make(call);
    // Also when the intent is recorded already: the answer says that this driver may still drive.
    const intent = await this.#openIntent(seq, call, options);
    return this.performOpened(tool, call, intent, options);
  }

  /** Performs a call that this instance has opened where the cursor stands, unless it turned out to be settled. */
  async performOpened(
    tool: DynTool,
    call: AskedCall,
    intent: IntentAnswer,
    options: PerformOptions,
  ): Promise<JsonValue> {
    const cursor = this.#cursor;
    const seq = cursor.position;
    if (intent.settled) {
      await cursor.refresh(options);
      const settled = cursor.find(call);
      if (settled.kind === "settled" || settled.kind === "suspended") return this.#answer(call, settled);
      throw new WrongStateError(`call ${seq} is settled, and its log does not say so`, {
        code: "wrong_state",
      });
    }
    if (intent.effect === "write" && !cursor.mayPerformFirst(call)) {
      // Handed to its tool before, and the log knows nothing of it: a server that lost what it had acknowledged.
      const { idempotency_key, effect } = intent;
      const recorded_at = new Date().toISOString();
      throw needsReconciliation(cursor.drive.run, {
        kind: "tool",
        seq,
        ...call,
        effect,
        idempotency_key,
        recorded_at,
      });
    }
    if (intent.effect !== tool.effect) {
      const drift = effectDrift(tool.name, tool.effect, intent.effect);
      const message = `${drift.message}; call ${seq} was opened and not performed`;
      throw new DriftError([{ ...drift, message }]);
    }
    if (options.isWithdrawn === true && intent.effect === "write") return this.#withdraw(call, intent);
    return this.#execute(tool, call, intent, options);
  }

  /** Reports an output that somebody found out. */
  async report(seq: number, output: JsonValue): Promise<void> {
    if (this.undelivered?.seq !== seq) await this.deliverFirst();
    this.#cursor.doubt();
    await this.#cursor.refresh();
    const recorded = this.#cursor.recordedAt(seq);
    if (recorded.kind === "nothing" || recorded.kind === "other") {
      const run = this.#cursor.drive.run;
      throw new WrongStateError(`run ${run} has no call at position ${seq} that a report could be about`, {
        code: "wrong_state",
      });
    }
    const { tool, input, idempotency_key } = recorded.intent.event.payload;
    const call: CallName = { tool, seq, idempotencyKey: idempotency_key };
    const violations = pinViolations(this.#pins.get(tool) ?? [], input, output);
    if (recorded.kind === "open" && violations.length > 0) {
      throw new OutputRefusedError(call, violations, output);
    }
    this.#cursor.doubt();
    await this.#reports.deliverInstead(call, { output });
  }

  /** Delivers the report that did not arrive, if there is one. */
  async deliverFirst(): Promise<void> {
    await this.#reports.deliverFirst();
  }

  async #openIntent(seq: number, call: AskedCall, options: CallOptions): Promise<IntentAnswer> {
    const { drive } = this.#cursor;
    try {
      return await this.#client.toolIntent(drive, { seq, ...call }, options);
    } catch (error) {
      if (error instanceof DivergenceError) {
        await this.#cursor.refresh(options);
        // What is recorded here instead says more than the refusal.
        this.#cursor.find(call);
      }
      throw error;
    }
  }

  /** Records that a call was never handed to its tool. */
  async #withdraw(
    { tool }: AskedCall,
    { seq, idempotency_key: idempotencyKey }: IntentAnswer,
  ): Promise<JsonValue> {
    const name: CallName = { tool, seq, idempotencyKey };
    const message = "it was not performed: whoever asked for it was gone before it was handed to its tool";
    const ending: Ending = { report: { error: { message, kind: "handler" } } };
    await this.#report(name, ending.report);
    return this.#conclude(name, ending);
  }

  async #execute(
    tool: DynTool,
    call: AskedCall,
    { seq, effect, idempotency_key: idempotencyKey }: IntentAnswer,
    { signal }: CallOptions,
  ): Promise<JsonValue> {
    signal?.throwIfAborted();
    this.#cursor.markPerformed();
    const runId = this.#cursor.drive.run;
    const log = this.#log;
    const { input } = call;
    const timing = TIMING;
    const end = await performCall({ tool, input, effect, runId, seq, idempotencyKey, log, signal, timing });
    const name: CallName = { tool: tool.name, seq, idempotencyKey };
    const ending = judgeEnd(name, effect, end, (output) =>
      pinViolations(this.#pins.get(tool.name) ?? [], input, output),
    );
    // Without the caller's signal: what has happened is reported, whoever still waits for it.
    await this.#report(name, ending.report);
    return this.#conclude(name, ending);
  }

  /** Reports how a call ended, at once, and opens the one that waits behind it with the same request. */
  async #report(call: CallName, report: Report): Promise<void> {
    const next = this.#next();
    // Nothing is opened behind a suspension.
    if (next === undefined || !this.#mayOpenAhead(next) || "suspend" in report) {
      await this.#reports.deliver(call, report);
      return;
    }
    const intent = await this.#reports.deliverAndOpen(call, report, next.call);
    if (intent !== undefined) this.#opened = { call: next.call, intent };
  }

  #mayOpenAhead({ call, options }: NextCall): boolean {
    const isWanted =
      options.at === undefined &&
      options.signal?.aborted !== true &&
      this.#passed(call, options) === undefined;
    return isWanted && this.#cursor.isHeld;
  }

  /** The call of this instance that the same call may mean, unless its caller says otherwise. */
  #passed(call: AskedCall, { another, at }: PerformOptions): PassedCall | undefined {
    if (another === true || at !== undefined || this.#identified.has(call.tool)) return undefined;
    return this.#cursor.passed(call);
  }

  #conclude(call: CallName, { report, cause }: Ending): JsonValue {
    if ("suspend" in report) {
      throw new SuspendedError(call.seq, report.suspend.reason, report.suspend.input_schema);
    }
    this.#cursor.moveBehindOwn(call.seq + 2);
    if ("output" in report) return report.output;
    const { message, kind = "handler" } = report.error;
    throw new ToolFailedError(call, kind, message, 1, cause);
  }

  #answer(call: AskedCall, found: Extract<FoundCall, { readonly kind: "settled" | "suspended" }>): JsonValue {
    const { seq } = found.intent;
    if (found.kind === "suspended") throw new SuspendedError(seq, found.reason, found.inputSchema);
    this.#cursor.moveTo(found.next);
    if (found.result.kind === "output") return found.result.output;
    const { kind, message, attempts } = found.result.failure;
    throw new ToolFailedError({ tool: call.tool, seq }, kind, message, attempts);
  }
}
