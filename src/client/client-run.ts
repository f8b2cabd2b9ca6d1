import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import type { ToolSet } from "../contract/tool-set.js";
import { envelopeOf, type EventKind, type EventOf } from "../log/events.js";
import { NOT_STARTED, applyEvent, isTerminal, type RunStatus } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import type { DeclaredClientTool } from "./answers.js";
import { CallDriver, type NextCall } from "./call-driver.js";
import type { CallOptions } from "./client-options.js";
import type { OpenOptions, PerformOptions } from "./client-run-options.js";
import { refuseDrift } from "./drift.js";
import { plainCopy } from "./json-text.js";
import { mayGoOnBehind } from "./may-go-on-behind.js";
import { HeldBackError } from "./passing-errors.js";
import { RunCursor } from "./run-cursor.js";
import {
  RunEndedError,
  RunNotStartedError,
  UnregisteredToolError,
  type UndeliveredReportError,
} from "./run-errors.js";
import type { SalvorClient } from "./salvor-client.js";
import { Turns } from "./turns.js";
import { DivergenceError } from "./wire-errors.js";

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
 */
export class ClientRun {
  readonly #client: SalvorClient;
  /** As they were compared with the declarations: a tool that is registered later was not. */
  readonly #tools: ReadonlyMap<string, DynTool>;
  readonly #cursor: RunCursor;
  readonly #calls: CallDriver;
  readonly #turns = new Turns<NextCall>();
  #ended: RunStatus | undefined;

  /**
   * Opens a run, or goes on with one, after comparing every registered class with what the operator declared. The log is
   * read before the first call; an empty one is started.
   *
   * @throws {@link DriftError} when a class and its declaration are not the same tool; nothing was opened then.
   * @throws {@link DivergenceError} when the run was started with another input or by another version of the program.
   */
  static async open(client: SalvorClient, tools: RunTools, options: OpenOptions = {}): Promise<ClientRun> {
    const { signal, driveToken } = options;
    const declared = await client.clientTools({ signal });
    refuseDrift(tools.descriptors(), declared);
    const cursor =
      driveToken === undefined
        ? await openCursor(client, options)
        : await heldCursor(client, driveToken, options);
    const run = new ClientRun(client, tools, declared, cursor, options);
    await run.#start(options);
    return run;
  }

  private constructor(
    client: SalvorClient,
    tools: RunTools,
    declared: readonly DeclaredClientTool[],
    cursor: RunCursor,
    { log }: OpenOptions,
  ) {
    this.#client = client;
    this.#tools = new Map(tools.names().flatMap((name) => entry(name, tools.get(name))));
    this.#cursor = cursor;
    this.#calls = new CallDriver(client, cursor, declared, { log, next: () => this.#turns.next });
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
   */
  async perform(tool: string, input: JsonValue, options: PerformOptions = {}): Promise<JsonValue> {
    const dyn = this.#registered(tool);
    const call = { tool, input: plainCopy(input, `input of ${tool}`) };
    const work = async () => {
      const opened = this.#calls.takeOpened(call, options.signal);
      if (opened !== undefined) return this.#calls.performOpened(dyn, call, opened, options);
      await this.#catchUp(options);
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
   */
  async report(seq: number, output: JsonValue): Promise<void> {
    const copy = plainCopy(output, `output of call ${seq}`);
    await this.#turns.take(() => this.#holdingBack(() => this.#calls.report(seq, copy)));
  }

  /** Delivers the report that did not arrive, if there is one. The call's next `perform` answers its output. */
  async flush(): Promise<void> {
    await this.#turns.take(() => this.#holdingBack(() => this.#calls.deliverFirst()));
  }

  /** The time, as recorded: the same at this position whenever the program runs again. RFC 3339. */
  async now(options: CallOptions = {}): Promise<string> {
    const now = new Date().toISOString();
    const event = await this.#inTurn("now", () =>
      this.#record({ kind: "NowObserved", payload: { now } }, options),
    );
    return event.payload.now;
  }

  /** An unsigned 64-bit random number, as recorded: the same at this position whenever the program runs again. */
  async random(options: CallOptions = {}): Promise<bigint> {
    const [value = 0n] = crypto.getRandomValues(new BigUint64Array(1));
    const event = await this.#inTurn("random", () =>
      this.#record({ kind: "RandomObserved", payload: { value } }, options),
    );
    return event.payload.value;
  }

  /** Ends the run with its output. */
  async complete(output: JsonValue, options: CallOptions = {}): Promise<void> {
    const payload = { output: plainCopy(output, "output of the run") };
    await this.#inTurn("complete", () => this.#end({ kind: "RunCompleted", payload }, options));
  }

  /** Ends the run as failed. */
  async fail(error: string, options: CallOptions = {}): Promise<void> {
    await this.#inTurn("fail", () => this.#end({ kind: "RunFailed", payload: { error } }, options));
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

  async #start({ input, agentDefHash, labels, signal }: OpenOptions): Promise<void> {
    const recorded = this.#cursor.findEvent("RunStarted", () => true);
    if (recorded === undefined) {
      if (agentDefHash === undefined) throw new RunNotStartedError(this.runId);
      const payload = { agent_def_hash: agentDefHash, input: input ?? null, ...(labels && { labels }) };
      await this.#record({ kind: "RunStarted", payload }, { signal });
      return;
    }
    const { payload } = recorded;
    const sameInput = input === undefined || jsonEqual(payload.input, input);
    if (!sameInput || (agentDefHash !== undefined && payload.agent_def_hash !== agentDefHash)) {
      const [found, asked] = sameInput
        ? [payload.agent_def_hash, agentDefHash]
        : [JSON.stringify(payload.input), JSON.stringify(input)];
      throw new DivergenceError(
        `run ${this.runId} was started with ${sameInput ? "agent_def_hash" : "input"} ${found}, not ${String(asked)}`,
        { code: "divergence" },
        { position: 0, recorded: payload, asked: { agent_def_hash: agentDefHash, input } },
      );
    }
    this.#cursor.moveTo(1);
  }

  async #catchUp(options: CallOptions): Promise<void> {
    options.signal?.throwIfAborted();
    await this.#calls.deliverFirst();
    if (this.#ended !== undefined) throw new RunEndedError(this.runId, this.#ended);
    await this.#cursor.refresh(options);
  }

  async #end(event: EventOf<"RunCompleted" | "RunFailed">, options: CallOptions): Promise<void> {
    await this.#record(event, options);
    const { status } = applyEvent(NOT_STARTED, envelopeOf(this.runId, 0, "", event));
    if (isTerminal(status)) this.#ended = status;
  }

  /** Records an event here, or answers the one of its kind that is recorded. An end must be the same end. */
  async #record<K extends EventKind>(event: EventOf<K>, options: CallOptions): Promise<EventOf<K>> {
    await this.#catchUp(options);
    const cursor = this.#cursor;
    const isObservation = event.kind === "NowObserved" || event.kind === "RandomObserved";
    const accepts = (recorded: EventOf<K>) =>
      isObservation || jsonEqual(recorded.payload as JsonValue, event.payload as JsonValue);
    const kind = event.kind;
    const recorded = cursor.findEvent(kind, accepts);
    if (recorded !== undefined) {
      cursor.moveTo(cursor.position + 1);
      return recorded;
    }
    const envelope = envelopeOf(this.runId, cursor.position, new Date().toISOString(), event);
    cursor.doubt();
    try {
      await this.#client.appendEvents(cursor.drive, [envelope], options);
    } catch (error) {
      if (!(error instanceof DivergenceError)) throw error;
      await cursor.refresh(options);
      // What is recorded here instead says more than the refusal.
      cursor.findEvent(kind, () => false);
      throw error;
    }
    cursor.moveBehindOwn(cursor.position + 1);
    return event;
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

async function openCursor(client: SalvorClient, options: OpenOptions): Promise<RunCursor> {
  const { runId = crypto.randomUUID(), agent, signal } = options;
  const { run, drive_token, log } = await client.openRun({ runId, agent }, { signal });
  const cursor = new RunCursor(client, { run, driveToken: drive_token });
  cursor.load(log);
  return cursor;
}

async function heldCursor(
  client: SalvorClient,
  driveToken: string,
  { runId, signal }: OpenOptions,
): Promise<RunCursor> {
  if (runId === undefined) throw new TypeError("a drive token says nothing without its runId");
  // Before the log is read: what the one before this opens from now on, it does not execute.
  const cursor = new RunCursor(client, { run: runId.toLowerCase(), driveToken });
  cursor.load(await client.log(runId, 0, { signal }));
  return cursor;
}
