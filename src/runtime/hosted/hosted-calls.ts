import { randomUUID } from "node:crypto";
import type { DynTool } from "../../contract/dyn-tool.js";
import type { Intent } from "../../log/recorded-call.js";
import type { Execution } from "../../store/event-store.js";
import type { RunTools } from "../durable-run.js";
import { completeSuspension, openCall } from "../open-call.js";
import type { Recorder, RunDesk } from "../recorder.js";
import type { FoundCall } from "../replay.js";
import { UnregisteredTool } from "../run-errors.js";
import { BoundedLine, type Place } from "./bounded-line.js";
import { Executor } from "./executor.js";
import { CALL_EVENTS, foundCall } from "./found-call.js";
import { NoTools, Stopping } from "./hosted-errors.js";
import { hostedSettings, type HostedOptions, type HostedSettings } from "./hosted-options.js";
import { isRetry, isSame, nameOf, type Underway } from "./underway.js";
import { judgeHostedInput } from "./judge-hosted-input.js";
import { planAgain, planNew, type HostedCall, type OpenPlan } from "./plan-call.js";

/** How a call stands that was asked for: what its log says, once nobody performs it any more. An open one is a `write`. */
export type CallEnd = Exclude<FoundCall, { readonly kind: "nothing" }>;

/** What came of looking at a call while nobody else works on its run. */
type Turn =
  /** It has an end, or will have one. */
  | { readonly kind: "ends"; readonly end: Promise<CallEnd> }
  /** It is performed elsewhere. */
  | { readonly kind: "elsewhere" }
  /** It is new, and whether its tool accepts its input is not known yet. */
  | { readonly kind: "unjudged"; readonly tool: DynTool }
  | { readonly kind: "begun"; readonly plan: OpenPlan; readonly execution: Execution };

/**
 * Performs the calls of a server's own tools (docs/http-api.md, "Calls of this server"): the intent first, then the tool, then
 * the completion. The run's queue is free while a tool works, and no caller's going away changes anything.
 */
export class HostedCalls {
  readonly #settings: HostedSettings;
  readonly #line: BoundedLine;
  readonly #executor: Executor;
  readonly #underway = new Map<string, Underway>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(
    private readonly recorder: Recorder,
    /** Absent on a server that performs no tools: it still answers what is recorded. */
    readonly tools: RunTools | undefined,
    options: HostedOptions = {},
  ) {
    this.#settings = hostedSettings(options);
    this.#line = new BoundedLine(this.#settings.concurrency, this.#settings.lineLength);
    this.#executor = new Executor(recorder, this.#settings);
  }

  /**
   * Performs a call, joins whoever performs it, or answers what is recorded of it.
   *
   * @param lease as in {@link Recorder.within}; what has begun no longer needs it.
   * @throws {@link NoTools}, {@link UnregisteredTool}, `InvalidInput`, `JudgingTimeout`, `MissingIdempotencyKey`,
   *   `CallInFlight`, `IdempotencyKeyCollision`, `Divergence`, {@link LineFull}, {@link Stopping}: nothing was recorded.
   * @throws {@link Stopping} also when it was given up because the server stops.
   * @throws the reason of `asked.signal` when that gave it up, and it is no `write` that had begun.
   */
  async perform(run: string, lease: string | undefined, asked: HostedCall): Promise<CallEnd> {
    // Judged at most once, and not in the run's queue, which belongs to the run.
    let isJudged = false;
    for (;;) {
      const turn = await this.recorder.within(run, lease, (desk) =>
        this.#enter(desk, lease, asked, isJudged),
      );
      if (turn.kind === "ends") return turn.end;
      if (turn.kind === "unjudged") {
        await this.#judge(turn.tool, asked);
        isJudged = true;
      } else await this.#change(run);
    }
  }

  #judge(tool: DynTool, { input }: HostedCall): Promise<void> {
    const { timing, timeoutMs } = this.#settings;
    return judgeHostedInput(tool, input, {
      timing,
      timeoutMs: tool.timeoutMs ?? timeoutMs,
      signal: this.#stopping.signal,
    });
  }

  /**
   * Lets no call begin any more, and waits for those that are being performed; what has not ended after `graceMs` is aborted.
   * A `write` that does not end then stays open.
   */
  async stop(graceMs: number): Promise<void> {
    const reason = new Stopping("this server is stopping");
    this.#line.close(reason);
    this.#stopping.abort(reason);
    const abort = setTimeout(() => {
      this.#executor.abort(reason);
    }, graceMs);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    clearTimeout(abort);
    this.#executor.abort(reason);
  }

  /** Answers a call, or sees to it that it is performed. Holds the run's queue only as long as it takes to decide. */
  async #enter(
    desk: RunDesk,
    lease: string | undefined,
    asked: HostedCall,
    isJudged: boolean,
  ): Promise<Ends | Elsewhere | Unjudged> {
    const turn = await this.#look(desk, lease, asked, { isJudged });
    if (turn.kind !== "plan") return turn;
    asked.signal?.throwIfAborted();
    const place = this.#line.enter();
    let begun: Turn | undefined;
    try {
      if (place.turn === undefined) begun = await this.#begin(desk, turn.plan);
    } catch (error) {
      place.leave();
      throw error;
    }
    if (begun !== undefined && begun.kind !== "begun") {
      place.leave();
      return begun;
    }
    const underway: Underway = { asked, lease };
    this.#underway.set(nameOf(desk.run, asked.seq), underway);
    const end = this.#finish(desk.run, underway, place, begun).finally(() => {
      this.#forget(desk.run, underway);
    });
    underway.end = end;
    this.#keep(end);
    return ends(end);
  }

  async #finish(run: string, underway: Underway, place: Place, begun: Begun | undefined): Promise<CallEnd> {
    const { asked, lease } = underway;
    try {
      await place.turn;
      if (begun === undefined) asked.signal?.throwIfAborted();
      const turn =
        begun ??
        (await this.recorder.within(run, lease, async (desk): Promise<Turn> => {
          const found = await this.#look(desk, lease, asked, { isJudged: true, self: underway });
          return found.kind === "plan" ? this.#begin(desk, found.plan) : found;
        }));
      if (turn.kind === "ends") return await turn.end;
      if (turn.kind === "begun") {
        await this.#executor.execute(run, turn.plan, turn.execution);
        return await this.#recorded(run, asked);
      }
    } finally {
      place.leave();
    }
    // Nobody joins a call that is to be looked at anew.
    this.#forget(run, underway);
    await this.#change(run);
    return this.perform(run, lease, asked);
  }

  /**
   * @param isJudged whether the tool is known to accept the input.
   * @param self who looks, when that is underway: nobody waits for themselves.
   */
  async #look(
    desk: RunDesk,
    lease: string | undefined,
    asked: HostedCall,
    { isJudged, self }: { readonly isJudged: boolean; readonly self?: Underway },
  ): Promise<Ends | Elsewhere | Unjudged | { readonly kind: "plan"; readonly plan: OpenPlan }> {
    const found = foundCall(desk.run, asked, await desk.read(asked.seq, CALL_EVENTS));
    if (found.kind === "suspended") await completeSuspension(desk, asked.seq, found);
    if (found.kind === "suspended" || found.kind === "settled") return ended(found);
    const joined = this.#underway.get(nameOf(desk.run, asked.seq));
    if (joined?.end !== undefined && joined !== self && isSame(joined.asked, asked)) {
      if (found.kind === "open" || isRetry(joined, lease, asked)) return ends(joined.end);
    }
    if (found.kind === "open" && found.intent.event.payload.effect === "write") {
      return this.#danglingWrite(desk, asked, found);
    }
    const tool = this.#registered(asked.tool);
    if (found.kind === "nothing" && !isJudged) return { kind: "unjudged", tool };
    const plan = await (found.kind === "nothing"
      ? planNew(desk, tool, asked)
      : planAgain(desk, tool, asked, found.intent));
    return plan === undefined ? ends(this.#recorded(desk.run, asked)) : { kind: "plan", plan };
  }

  /** A write without an end: somebody performs it right now, or a person has to settle it. */
  async #danglingWrite(
    desk: RunDesk,
    asked: HostedCall,
    found: { readonly kind: "open"; readonly intent: Intent },
  ): Promise<Ends | Elsewhere> {
    if ((await desk.store.execution(desk.run))?.seq === asked.seq) return { kind: "elsewhere" };
    // It may have ended between the two looks: an end is recorded before its execution is let go of.
    const [end] = await desk.read(asked.seq + 1, 1);
    return end === undefined ? ended(found) : { kind: "elsewhere" };
  }

  /** Takes the execution, then has the intent durable: who sees an intent sees whether it is being performed. */
  async #begin(desk: RunDesk, plan: OpenPlan): Promise<Turn> {
    const { run } = desk;
    const { seq } = plan.intent.payload;
    const execution = { seq, holder: randomUUID() };
    const { store } = this.recorder;
    if (!(await store.holdExecution(run, execution, this.#settings.executionTtlMs)))
      return { kind: "elsewhere" };
    let isBegun = false;
    try {
      // Another server may have been faster since this run was looked at.
      const [first, second] = await desk.read(seq, 2);
      if ((plan.isNew ? first : second) !== undefined) return { kind: "elsewhere" };
      const settled = plan.isNew ? await openCall(desk, plan.intent, plan.identity) : undefined;
      if (settled !== undefined) return ends(this.#recorded(run, plan.asked));
      isBegun = true;
      return { kind: "begun", plan, execution };
    } finally {
      if (!isBegun) await store.releaseExecution(run, execution);
    }
  }

  /** How a call stands, as its durable log says. */
  async #recorded(run: string, asked: HostedCall): Promise<CallEnd> {
    const events = await this.recorder.store.readLog(run, asked.seq, CALL_EVENTS);
    const found = foundCall(run, asked, events);
    if (found.kind !== "nothing") return found;
    throw new TypeError(`the call at ${asked.seq} of run ${run} is recorded and cannot be read`);
  }

  /** Waits until something happened to a run, or an execution may have expired unnoticed. */
  async #change(run: string): Promise<void> {
    const { signal } = this.#stopping;
    let stop = (): void => undefined;
    const recorded = new Promise<void>((resolve) => {
      stop = this.recorder.store.subscribe(run, () => {
        resolve();
      });
    });
    const over = new AbortController();
    try {
      const { timing, executionTtlMs } = this.#settings;
      const either = AbortSignal.any([signal, over.signal]);
      const pause = timing.wait(Math.ceil(executionTtlMs / 3), either).catch(() => undefined);
      await Promise.race([recorded, pause]);
    } finally {
      stop();
      over.abort();
    }
    signal.throwIfAborted();
  }

  #registered(name: string): DynTool {
    if (this.tools === undefined) throw new NoTools("this server performs no tools");
    const tool = this.tools.get(name);
    if (tool === undefined) throw new UnregisteredTool(name, this.tools.names());
    return tool;
  }

  #forget(run: string, underway: Underway): void {
    const name = nameOf(run, underway.asked.seq);
    if (this.#underway.get(name) === underway) this.#underway.delete(name);
  }

  /** Keeps count of what is going on, whoever still waits for it. */
  #keep(end: Promise<unknown>): void {
    this.#running.add(end);
    const done = (): void => {
      this.#running.delete(end);
    };
    end.then(done, done);
  }
}

type Ends = Extract<Turn, { readonly kind: "ends" }>;
type Elsewhere = Extract<Turn, { readonly kind: "elsewhere" }>;
type Unjudged = Extract<Turn, { readonly kind: "unjudged" }>;
type Begun = Extract<Turn, { readonly kind: "begun" }>;

function ends(end: Promise<CallEnd>): Ends {
  // Whoever waits for it is told; a failure that nobody waits for any more concerns nobody.
  end.catch(() => undefined);
  return { kind: "ends", end };
}

function ended(end: CallEnd): Ends {
  return { kind: "ends", end: Promise.resolve(end) };
}
