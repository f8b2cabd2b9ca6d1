import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import type { ToolSet } from "../contract/tool-set.js";
import type { DeclaredClientTool } from "./answers.js";
import { CallDriver, type NextCall } from "./call-driver.js";
import type { CallOptions, ModelReply } from "./client-options.js";
import type { OpenOptions, PerformOptions, PlacedOptions } from "./client-run-options.js";
import { refuseDrift } from "./drift.js";
import { EventDriver } from "./event-driver.js";
import { plainCopy } from "./json-text.js";
import { mayGoOnBehind } from "./may-go-on-behind.js";
import { askedModel, callModel } from "./model-driver.js";
import { openCursor } from "./open-cursor.js";
import { HeldBackError } from "./passing-errors.js";
import type { RunCursor } from "./run-cursor.js";
import { UnregisteredToolError, type UndeliveredReportError } from "./run-errors.js";
import type { SalvorClient } from "./salvor-client.js";
import { Turns } from "./turns.js";

/** The tools of a program: a {@link ToolSet}. */
export type RunTools = Pick<ToolSet, "get" | "names" | "descriptors">;

/**
 * Drives one run: performs tool calls in this process and has each one recorded before it happens and after it.
 *
 * Calls are made one after another, in call order. Where the log holds a call already, the same call answers what is
 * recorded and executes nothing. A `write` is executed only when this instance opened its intent, and once.
 * When one ends without an end that is recorded for certain, those that wait behind it are refused with a
 * {@link HeldBackError}: only their caller can know whether they are still wanted, and in which order.
 * A tool must not perform calls of the run that is performing it: they would wait for each other.
 *
 * In the examples of its methods `run` is one of the program in docs/clients.md, with `client` and `tools` as there.
 */
export class ClientRun {
  readonly #client: SalvorClient;
  /** As they were compared with the declarations: a tool that is registered later was not. */
  readonly #tools: ReadonlyMap<string, DynTool>;
  readonly #cursor: RunCursor;
  readonly #calls: CallDriver;
  readonly #events: EventDriver;
  readonly #turns = new Turns<NextCall>();
  readonly #keepsPrompts: boolean;

  /**
   * Opens a run, or goes on with one, after comparing every registered class with what the operator declared. The log is
   * read before the first call; an empty one is started.
   *
   * @throws {@link DriftError} when a class and its declaration are not the same tool; nothing was opened then.
   * @throws {@link DivergenceError} when the run was started with another input or by another version of the program.
   *
   * @example
   * const run = await ClientRun.open(client, tools, { agentDefHash: "desk@1", input: { ticket: 7 } });
   * console.log(run.position); // 1
   */
  static async open(client: SalvorClient, tools: RunTools, options: OpenOptions = {}): Promise<ClientRun> {
    const declared = await client.clientTools({ signal: options.signal });
    refuseDrift(tools.descriptors(), declared);
    const cursor = await openCursor(client, options);
    const run = new ClientRun(client, tools, declared, cursor, options);
    await run.#events.start(options);
    return run;
  }

  private constructor(
    client: SalvorClient,
    tools: RunTools,
    declared: readonly DeclaredClientTool[],
    cursor: RunCursor,
    { log, recordPrompts = false }: OpenOptions,
  ) {
    this.#client = client;
    this.#keepsPrompts = recordPrompts;
    this.#tools = new Map(tools.names().flatMap((name) => entry(name, tools.get(name))));
    this.#cursor = cursor;
    this.#calls = new CallDriver(client, cursor, declared, { log, next: () => this.#turns.next });
    this.#events = new EventDriver(client, cursor, this.#calls);
  }

  get runId(): string {
    return this.#cursor.drive.run;
  }

  /** What lets a later process go on without opening the run again. A secret. */
  get driveToken(): string {
    return this.#cursor.drive.driveToken;
  }

  /** The position where the next call or event goes. */
  get position(): number {
    return this.#cursor.position;
  }

  /** The report that has not arrived, if there is one. */
  get undelivered(): UndeliveredReportError | undefined {
    return this.#calls.undelivered;
  }

  /**
   * Performs a call of a registered tool, or answers what is recorded of it.
   *
   * @param input is copied at once; it has to match the tool's input schema.
   * @returns the call's recorded output.
   * @throws {@link ToolFailedError} when the call is recorded as failed.
   * @throws {@link SuspendedError} while it waits for a person.
   * @throws {@link DivergenceError} when the log holds another call here.
   * @throws {@link NeedsReconciliationError} when it is a `write` whose end nobody recorded.
   * @throws {@link UnknownOutcomeError}, {@link OutputRefusedError}, {@link CompletionRefusedError},
   *   {@link UndeliveredReportError} when it was executed and the call is still open.
   * @throws {@link HeldBackError} when it waited behind one that did not end well: it was not executed.
   * @throws {@link PassedCallError} when the same call was performed and passed before its answer reached anybody.
   *
   * @example
   * const refund = await run.perform("refund_card", { order_id: "A-17", amount_cents: 500 });
   * console.log(refund); // { refund_id: 're_1', amount_cents: 500 }
   */
  async perform(tool: string, input: JsonValue, options: PerformOptions = {}): Promise<JsonValue> {
    const dyn = this.#registered(tool);
    const call = { tool, input: plainCopy(input, `input of ${tool}`) };
    const work = async () => {
      const opened = this.#calls.takeOpened(call, options.signal);
      if (opened !== undefined) return this.#calls.performOpened(dyn, call, opened, options);
      await this.#events.catchUp(options);
      return this.#calls.perform(dyn, call, options);
    };
    return this.#turns.take(() => this.#holdingBack(work, { call, options }), {
      ask: { call, options },
      heldBack: (cause) => new HeldBackError(tool, cause, this.#cursor.aheadAt(call)),
    });
  }

  /**
   * Reports what an open call came to, as somebody found out: after {@link OutputRefusedError},
   * {@link UnknownOutcomeError} or a crash. The call's next `perform` answers this output.
   *
   * @param seq the position of the intent.
   *
   * @example
   * try {
   *   await run.perform("refund_card", { order_id: "A-99", amount_cents: 500 });
   * } catch (error) {
   *   if (!(error instanceof UnknownOutcomeError)) throw error;
   *   // The provider was asked what it did under error.idempotencyKey.
   *   await run.report(error.seq, { refund_id: "re_7", amount_cents: 500 });
   * }
   * console.log(await run.perform("refund_card", { order_id: "A-99", amount_cents: 500 })); // { refund_id: 're_7', amount_cents: 500 }
   */
  async report(seq: number, output: JsonValue): Promise<void> {
    const copy = plainCopy(output, `output of call ${seq}`);
    await this.#turns.take(() => this.#holdingBack(() => this.#calls.report(seq, copy)));
  }

  /**
   * Delivers the report that did not arrive, if there is one. The call's next `perform` answers its output.
   *
   * @example
   * if (run.undelivered !== undefined) await run.flush();
   * console.log(run.undelivered); // undefined
   */
  async flush(): Promise<void> {
    await this.#turns.take(() => this.#holdingBack(() => this.#calls.deliverFirst()));
  }

  /**
   * Takes the run back after an {@link InvalidDriveTokenError}: opens it again, which ends the right of whoever drives it now,
   * and goes on at this position under a new token. A report that has not arrived is kept, and delivered first. A `write`
   * that is open and was not performed here is nobody's to perform: {@link NeedsReconciliationError}.
   *
   * For a caller who knows that the other one is gone. Two that take a run back from each other in a loop get nowhere.
   *
   * @example
   * await client.openRun({ runId: run.runId }); // somebody else takes the run, and is gone
   * try {
   *   await run.now();
   * } catch (error) {
   *   if (!(error instanceof InvalidDriveTokenError)) throw error;
   *   await run.reopen();
   * }
   * console.log((await run.now()).slice(0, 2)); // 20
   */
  async reopen(options: CallOptions = {}): Promise<void> {
    await this.#turns.take(() => this.#cursor.reopen(options));
  }

  /**
   * The time, as recorded: the same at this position whenever the program runs again. RFC 3339.
   *
   * @example
   * console.log((await run.now()).endsWith("Z")); // true
   */
  async now(options: CallOptions = {}): Promise<string> {
    const now = new Date().toISOString();
    const event = await this.#inTurn("now", () =>
      this.#events.record({ kind: "NowObserved", payload: { now } }, options),
    );
    return event.payload.now;
  }

  /**
   * An unsigned 64-bit random number, as recorded: the same at this position whenever the program runs again.
   *
   * @example
   * console.log(typeof (await run.random())); // bigint
   */
  async random(options: CallOptions = {}): Promise<bigint> {
    const [value = 0n] = crypto.getRandomValues(new BigUint64Array(1));
    const event = await this.#inTurn("random", () =>
      this.#events.record({ kind: "RandomObserved", payload: { value } }, options),
    );
    return event.payload.value;
  }

  /**
   * Has a model called, or answers what is recorded of the call. One whose answer was not recorded is made again.
   *
   * @param request what decides the answer and is the same whenever the program runs again. Its hash is what is recorded, and
   *   itself where the run was opened with `recordPrompts`.
   * @param call asks the model. What it returns is recorded, and has to be JSON.
   * @returns what is recorded.
   * @throws {@link DivergenceError} when something else is recorded here. What `call` throws is thrown on; nothing is recorded then.
   *
   * @example
   * const request = { model: "any", messages: [{ role: "user", content: "Refund A-17?" }] };
   * const ask = async () => ({ response: "Yes.", usage: { input_tokens: 4, output_tokens: 1 } });
   * console.log((await run.model(request, ask)).response); // Yes.
   */
  async model(
    request: JsonValue,
    call: () => Promise<ModelReply>,
    options: PlacedOptions = {},
  ): Promise<ModelReply> {
    const asked = askedModel(request);
    const keepsPrompts = this.#keepsPrompts;
    return this.#inTurn("the model call", async () => {
      await this.#events.catchUp(options);
      return callModel(this.#client, this.#cursor, asked, call, { ...options, keepsPrompts });
    });
  }

  /**
   * Ends the run with its output.
   *
   * @example
   * await run.complete({ refunded: true });
   * console.log((await client.run(run.runId)).status.state); // completed
   */
  async complete(output: JsonValue, options: PlacedOptions = {}): Promise<void> {
    const payload = { output: plainCopy(output, "output of the run") };
    await this.#inTurn("complete", () => this.#events.end({ kind: "RunCompleted", payload }, options));
  }

  /**
   * Ends the run as failed.
   *
   * @example
   * await run.fail("the shop is closed");
   * console.log((await client.run(run.runId)).status.state); // failed
   */
  async fail(error: string, options: PlacedOptions = {}): Promise<void> {
    await this.#inTurn("fail", () => this.#events.end({ kind: "RunFailed", payload: { error } }, options));
  }

  #inTurn<T>(what: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(() => this.#holdingBack(work), {
      heldBack: (cause) => new HeldBackError(what, cause),
    });
  }

  /** Does a piece of work, and holds back what waits when it ends so that nothing may go on behind it by itself. */
  async #holdingBack<T>(work: () => Promise<T>, made?: NextCall): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Before its caller hears of it: whatever is asked for later is asked for by somebody who may know.
      if (!mayGoOnBehind(error, this.#notMade(made))) this.#turns.holdBack(error);
      throw error;
    }
  }

  /** Whether a call was given up by its caller before anything of it was sent. */
  #notMade(made: NextCall | undefined): boolean {
    return made?.options.signal?.aborted === true && !this.#cursor.isOwn(made.call);
  }

  #registered(tool: string): DynTool {
    const dyn = this.#tools.get(tool);
    if (dyn === undefined) throw new UnregisteredToolError(tool, [...this.#tools.keys()]);
    return dyn;
  }
}

function entry(name: string, tool: DynTool | undefined): readonly (readonly [string, DynTool])[] {
  return tool === undefined ? [] : [[name, tool]];
}
