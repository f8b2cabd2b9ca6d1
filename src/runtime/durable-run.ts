import { causeChain } from "../contract/cause-chain.js";
import { deepFreeze } from "../contract/deep-freeze.js";
import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonSchema, JsonValue } from "../contract/json.js";
import { toPlainJson } from "../contract/plain-json.js";
import { QUIET_LOG } from "../contract/quiet-log.js";
import type { ToolSet } from "../contract/tool-set.js";
import { holds, type EventOf, type Payloads } from "../log/events.js";
import { jsonEqual } from "../log/json-equal.js";
import { parseRunId } from "../log/run-id.js";
import type { EventStore } from "../store/event-store.js";
import { CallPerformer } from "./call-performer.js";
import { resolveCall, resumeWith } from "./decisions.js";
import { Divergence } from "./divergence.js";
import type {
  Decision,
  DurableCallOptions,
  DurableRunOptions,
  ResumeOptions,
  RunStart,
} from "./durable-run-options.js";
import type { Recorder } from "./recorder.js";
import { recorderOf } from "./recorder-of.js";
import { Replay } from "./replay.js";
import { InputRefused, RunExists, RunSuspended, UnknownRun, UnregisteredTool } from "./run-errors.js";
import { RunQueue } from "./run-queue.js";
import { whyUnusable } from "./suspension-schema.js";
import { WALL_CLOCK } from "./timing.js";

/** The tools of a program: a {@link ToolSet}. */
export type RunTools = Pick<ToolSet, "get" | "names">;

/**
 * One run of a program on a store (docs/runtime.md): its calls are recorded before they happen and after they ended, and
 * are the same when the program runs again.
 *
 * Everything happens one after another, in the order in which it was asked for. Where the log holds it already, the same
 * question answers what is recorded and executes nothing. A tool must not use the run that is performing it: the two would
 * wait for each other.
 */
export class DurableRun {
  readonly #recorder: Recorder;
  readonly #tools: RunTools;
  readonly #started: Payloads["RunStarted"];
  readonly #replay: Replay;
  readonly #calls: CallPerformer;
  readonly #turns = new RunQueue();
  readonly #randomU64: () => bigint;

  /**
   * Starts a run.
   *
   * @param where the store, or the {@link Recorder} on it that other work of this process shares.
   * @throws {@link RunExists} when the id is taken.
   */
  static async start(
    where: EventStore | Recorder,
    { input, agentDefHash, labels, runId }: RunStart,
    tools: RunTools,
    options: DurableRunOptions = {},
  ): Promise<DurableRun> {
    const run = checkedId(runId ?? crypto.randomUUID());
    const recorder = recorderOf(where);
    const payload = toPlainJson({
      agent_def_hash: agentDefHash,
      input,
      ...(labels !== undefined && { labels: { ...labels } }),
    }) as Payloads["RunStarted"];
    await recorder.within(run, undefined, async (desk) => {
      if ((await recorder.store.readRun(run)) !== undefined) throw new RunExists(run);
      await desk.append([{ kind: "RunStarted", payload }]);
    });
    return new DurableRun(recorder, run, payload, tools, options);
  }

  /**
   * Goes on with a run: the program makes the same calls again, from the first on.
   *
   * @throws {@link UnknownRun} when this store has no such run for a host to go on with.
   * @throws {@link Divergence} when another version of the program started it.
   */
  static async resume(
    where: EventStore | Recorder,
    runId: string,
    tools: RunTools,
    options: ResumeOptions = {},
  ): Promise<DurableRun> {
    const run = checkedId(runId);
    const recorder = recorderOf(where);
    const record = await recorder.store.readRun(run);
    if (record?.erased === true) throw new UnknownRun(run, "was erased");
    if (record?.ownership !== undefined) throw new UnknownRun(run, "is driven by a client over HTTP");
    const [started] = await recorder.store.readLog(run, 0, 1);
    if (!holds(started, "RunStarted")) throw new UnknownRun(run);
    const { payload } = started.event;
    const { agentDefHash } = options;
    if (agentDefHash !== undefined && agentDefHash !== payload.agent_def_hash) {
      throw Divergence.ofReplay(started, { agent_def_hash: agentDefHash });
    }
    return new DurableRun(recorder, run, payload, tools, options);
  }

  private constructor(
    recorder: Recorder,
    run: string,
    started: Payloads["RunStarted"],
    tools: RunTools,
    { log = QUIET_LOG, timing = WALL_CLOCK, randomU64 = secureU64 }: DurableRunOptions,
  ) {
    this.#recorder = recorder;
    this.#tools = tools;
    this.#started = started;
    this.#replay = new Replay(run);
    this.#calls = new CallPerformer(recorder, this.#replay, { log, timing });
    this.#randomU64 = randomU64;
  }

  get runId(): string {
    return this.#replay.run;
  }

  /** What the run was started with. */
  get input(): JsonValue {
    return this.#started.input;
  }

  /**
   * Performs a call of a tool, or answers what is recorded of it.
   *
   * @param input is copied at once; it has to match the tool's input schema.
   * @returns the call's recorded output.
   * @throws {@link ToolFailed} when the call is recorded as failed.
   * @throws {@link RunSuspended} while it waits for a person.
   * @throws {@link NeedsReconciliation} when it is a `write` whose end nobody recorded.
   * @throws {@link OutcomeUnknown} when it is a `write` that was performed just now, and what came of it is not recorded.
   * @throws {@link CallInFlight}, {@link IdempotencyKeyCollision}, `MissingIdempotencyKey` about its identity; nothing is recorded.
   * @throws {@link Divergence} when the log holds another call here.
   */
  async call(tool: string, input: JsonValue, { signal }: DurableCallOptions = {}): Promise<JsonValue> {
    const dyn = this.#registered(tool);
    const asked = { tool, input: deepFreeze(toPlainJson(input)) };
    return this.#turn(() => this.#calls.perform(dyn, asked, signal));
  }

  /** The time, as recorded: the same at this position whenever the program runs again. RFC 3339, UTC. */
  async now(): Promise<string> {
    return this.#turn(async () => {
      const event = { kind: "NowObserved", payload: { now: this.#recorder.stamp() } } as const;
      return (await this.#record<"NowObserved">(event, () => true)).payload.now;
    });
  }

  /** An unsigned 64-bit random number, as recorded: the same at this position whenever the program runs again. */
  async random(): Promise<bigint> {
    return this.#turn(async () => {
      const event = { kind: "RandomObserved", payload: { value: this.#randomU64() } } as const;
      return (await this.#record<"RandomObserved">(event, () => true)).payload.value;
    });
  }

  /**
   * Parks the run until a person answers.
   *
   * @param reason what the person has to decide, in their words.
   * @param inputSchema what an acceptable answer looks like.
   * @returns the answer, once the run was resumed with one.
   * @throws {@link RunSuspended} until then.
   * @throws {@link InputRefused} when no answer could be held to the schema; nothing is recorded.
   */
  async suspend(reason: string, inputSchema: JsonSchema): Promise<JsonValue> {
    const payload = toPlainJson({ reason, input_schema: inputSchema }) as Payloads["Suspended"];
    const event: EventOf<"Suspended"> = { kind: "Suspended", payload };
    return this.#turn(() =>
      this.#recorder.within(this.runId, undefined, async (desk) => {
        const [recorded, resumed] = await this.#replay.findEvent(desk, event, samePayload(event));
        const seq = this.#replay.position;
        if (recorded === undefined) {
          const problem = await whyUnusable(payload.input_schema);
          if (problem !== undefined) {
            throw new InputRefused("the schema of the suspension", [{ path: "$", message: problem }]);
          }
          await desk.append([event], {}, seq);
        }
        if (!holds(resumed, "Resumed")) throw new RunSuspended(this.runId, seq, reason, inputSchema);
        this.#replay.moveTo(seq + 2);
        return resumed.event.payload.input;
      }),
    );
  }

  /**
   * Resumes the run with a person's answer: ask for what suspended it again, and the answer is its result.
   *
   * @throws {@link InputRefused} when the answer does not match the schema of the suspension.
   * @throws {@link WrongState} when the run is not suspended.
   */
  async resumeWith(input: JsonValue): Promise<void> {
    const copy = toPlainJson(input);
    await this.#turn(() => this.#recorder.within(this.runId, undefined, (desk) => resumeWith(desk, copy)));
  }

  /**
   * Settles a `write` that nobody knows the outcome of, on a person's word. Ask for the call again, and that is its result.
   *
   * @throws {@link InputRefused} when the output cannot be that of the tool.
   * @throws {@link WrongState} when the run waits for no such decision.
   */
  async resolve(decision: Decision): Promise<void> {
    await this.#turn(() =>
      this.#recorder.within(this.runId, undefined, (desk) =>
        resolveCall(desk, (name) => this.#tools.get(name), decision),
      ),
    );
  }

  /** Ends the run with its output. */
  async complete(output: JsonValue): Promise<void> {
    const event: EventOf<"RunCompleted"> = {
      kind: "RunCompleted",
      payload: { output: toPlainJson(output) },
    };
    await this.#turn(() => this.#record(event, samePayload(event)));
  }

  /**
   * Ends the run as failed.
   *
   * @param error what went wrong, in words, or the error itself: it is recorded with every cause.
   */
  async fail(error: unknown): Promise<void> {
    const event: EventOf<"RunFailed"> = {
      kind: "RunFailed",
      payload: { error: causeChain(error).toWellFormed() },
    };
    await this.#turn(() => this.#record(event, samePayload(event)));
  }

  /** Records an event here, or answers the one that is recorded. */
  #record<K extends "NowObserved" | "RandomObserved" | "RunCompleted" | "RunFailed">(
    event: EventOf<K>,
    accepts: (recorded: EventOf<K>) => boolean,
  ): Promise<EventOf<K>> {
    return this.#recorder.within(this.runId, undefined, async (desk) => {
      const [recorded] = await this.#replay.findEvent(desk, event, accepts);
      const seq = this.#replay.position;
      if (recorded === undefined) await desk.append([event], {}, seq);
      this.#replay.moveTo(seq + 1);
      return recorded ?? event;
    });
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.enter(this.runId, work);
  }

  #registered(tool: string): DynTool {
    const dyn = this.#tools.get(tool);
    if (dyn === undefined) throw new UnregisteredTool(tool, this.#tools.names());
    return dyn;
  }
}

function samePayload<E extends EventOf<"Suspended" | "RunCompleted" | "RunFailed">>(asked: E) {
  return (recorded: E) => jsonEqual(recorded.payload, asked.payload);
}

function checkedId(runId: string): string {
  const run = parseRunId(runId);
  if (run === undefined) throw new TypeError(`${JSON.stringify(runId)} is no run id: a UUID is`);
  return run;
}

function secureU64(): bigint {
  const [value = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return value;
}
