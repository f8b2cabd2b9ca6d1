import type { JsonValue } from "../contract/json.js";
import type { Intent } from "../log/recorded-call.js";
import type { AgentLog } from "./agent-log.js";
import type { AgentCallOptions, CallEnd } from "./agent-options.js";
import {
  endOfTurn,
  isCarried,
  isSameAsk,
  openCallOf,
  unclear,
  type AgentTurn,
  type ToolAsk,
  type TurnAsk,
} from "./agent-turns.js";
import { asHeld, callOfAsk, openAsks, placeOf, type AskScene, type HeldAsk } from "./ask-place.js";
import type { CallOptions } from "./client-options.js";
import type { ClientRun } from "./client-run.js";
import { behindGivenUp } from "./given-up.js";
import { KnownAsks } from "./known-asks.js";
import { HeldBackError } from "./passing-errors.js";
import { ToolFailedError } from "./run-errors.js";
import { BadRequestError, DivergenceError, UnknownToolError } from "./wire-errors.js";

/** A turn that was given to a loop. */
export interface GivenTurn {
  readonly turn: AgentTurn;
  /** Tells that whoever asked for it went away. */
  readonly signal: AbortSignal | undefined;
}

/** The tool calls of an agent's run: which recorded ones its asks are, and where those go that are not. */
export class AgentCalls {
  readonly #run: ClientRun;
  readonly #log: AgentLog;
  readonly #tools: ReadonlySet<string>;
  readonly #known = new KnownAsks();
  /** What asks came to that no recorded answer of a model holds, by their id. */
  readonly #unplaced = new Map<string, { readonly ask: ToolAsk; readonly output: JsonValue }>();
  /** The model's answer that this instance gave last. */
  given: GivenTurn | undefined;

  constructor(run: ClientRun, log: AgentLog, tools: ReadonlySet<string>) {
    this.#run = run;
    this.#log = log;
    this.#tools = tools;
  }

  async refresh(options: CallOptions): Promise<void> {
    await this.#run.flush();
    await this.#log.refresh(options);
  }

  /** Performs the call that an ask is, or answers what is recorded of it: {@link AgentRun.call}. */
  async perform(ask: ToolAsk, { carried, ...options }: AgentCallOptions): Promise<JsonValue> {
    for (;;) {
      await this.refresh(options);
      const turn = this.#log.turnOfAsk(ask, this.given?.turn);
      if (turn === undefined) return this.#performUnplaced(ask, options);
      const held = typeof carried === "function" ? carried(turn.asks) : carried;
      const place = placeOf(this.#scene(turn, held), ask);
      if ("at" in place) return this.#performAt(place.at, ask, turn, options);
      await this.#endCall(place.behind, ask.tool, options);
    }
  }

  async #performAt(at: number, ask: ToolAsk, turn: AgentTurn, options: CallOptions): Promise<JsonValue> {
    try {
      const output = await this.#run.perform(ask.tool, ask.input, { ...options, at });
      this.#known.note(at, ask.id);
      return output;
    } catch (error) {
      if (isRefusal(error)) this.#known.refuse(turn.seq, ask.id);
      // Whatever is recorded there from now on is this ask's.
      else this.#known.note(at, ask.id);
      throw error;
    }
  }

  async #performUnplaced(ask: ToolAsk, options: CallOptions): Promise<JsonValue> {
    const known = this.#unplaced.get(ask.id);
    if (known !== undefined && isSameAsk(known.ask, ask)) return known.output;
    if (known !== undefined) throw unclear(ask, "another call of this process had that id");
    const at = this.#run.position;
    const output = await this.#run.perform(ask.tool, ask.input, options);
    this.#known.note(at, ask.id);
    this.#unplaced.set(ask.id, { ask, output });
    return output;
  }

  /** Whether calls may have ended otherwise than a loop is about to tell. */
  hasDoubted(carried: readonly (readonly HeldAsk[])[]): boolean {
    return carried.some((asks) => asks.some((ask) => this.#isDoubted(ask)));
  }

  /** How the calls ended of which a loop is about to tell something else: {@link AgentRun.endsOf}. */
  async endsOf(
    carried: readonly (readonly HeldAsk[])[],
    options: CallOptions,
  ): Promise<readonly ReadonlyMap<string, CallEnd>[]> {
    await this.refresh(options);
    const turns = this.#log.turnsCarried(carried, this.given?.turn);
    const ends: ReadonlyMap<string, CallEnd>[] = [];
    for (const [at, asks] of carried.entries()) {
      const turn = turns[at];
      ends.push(turn === undefined ? new Map<string, CallEnd>() : await this.#endsIn(turn, asks, options));
    }
    return ends;
  }

  async #endsIn(
    turn: AgentTurn,
    asks: readonly HeldAsk[],
    options: CallOptions,
  ): Promise<ReadonlyMap<string, CallEnd>> {
    const ends = new Map<string, CallEnd>();
    for (const ask of turn.asks.map((own) => asHeld(own, asks)).filter((each) => this.#isDoubted(each))) {
      const call = callOfAsk(this.#scene(turn, asks), ask);
      if (call !== undefined) ends.set(ask.id, await this.#endOf(call, options));
    }
    return ends;
  }

  #isDoubted({ tool, told }: HeldAsk): boolean {
    return told !== undefined && (tool === undefined || this.#tools.has(tool));
  }

  #scene(turn: AgentTurn, carried?: readonly HeldAsk[]): AskScene {
    return { log: this.#log.events, turn, known: this.#known, tools: this.#tools, carried };
  }

  async #endOf(call: Intent, options: CallOptions): Promise<CallEnd> {
    try {
      return { output: await this.#performRecorded(call, "the model call", options) };
    } catch (error) {
      if (error instanceof ToolFailedError) return { failure: error };
      throw error;
    }
  }

  /** Where a model call goes that is not recorded: behind the turn that it carries the answers of, or that was given last. */
  modelPlace(answered: readonly string[]): number {
    const turn = this.#turnBefore(answered);
    return turn === undefined
      ? behindGivenUp(this.#log.events, this.#run.position)
      : endOfTurn(this.#log.events, turn);
  }

  /** Why no model call may go there: calls of the turn that was given last have not been made, and somebody waits for it still. */
  refusalOfModel(answered: readonly string[]): DivergenceError | undefined {
    const turn = this.#turnBefore(answered);
    const isGiven = turn !== undefined && turn === this.given?.turn;
    if (!isGiven || isCarried(turn, answered) || this.given?.signal?.aborted === true) return undefined;
    const open = openAsks(this.#scene(turn));
    return open.length === 0 ? undefined : notMade(turn, open);
  }

  #turnBefore(answered: readonly string[]): AgentTurn | undefined {
    const given = this.given?.turn;
    const carried = this.#log.turnCarried(answered, given);
    return carried === undefined || (given !== undefined && given.seq > carried.seq) ? given : carried;
  }

  /** Ends the call that is open, if one is, before something goes on behind it. */
  async endOpen(what: string, options: CallOptions): Promise<void> {
    const open = openCallOf(this.#log.events);
    if (open !== undefined) await this.#endCall(open, what, options);
    await this.refresh(options);
  }

  /** Ends a call that is open: a `read` or `idempotent` one is performed again; for any other a person is waited for. */
  async #endCall(call: Intent, before: string, options: CallOptions): Promise<void> {
    try {
      await this.#performRecorded(call, before, options);
    } catch (error) {
      if (!(error instanceof ToolFailedError)) throw error;
    }
  }

  /**
   * Performs a call that is recorded, or answers what is recorded of it.
   *
   * @param before what waits for it: that is not what is refused, when this is.
   */
  async #performRecorded({ seq, event }: Intent, before: string, options: CallOptions): Promise<JsonValue> {
    const { tool, input } = event.payload;
    try {
      return await this.#run.perform(tool, input, { ...options, at: seq });
    } catch (error) {
      throw isRefusal(error) ? new HeldBackError(before, error) : error;
    }
  }
}

/** Whether nothing of a call is recorded, because of what it asks for. */
function isRefusal(error: unknown): boolean {
  return error instanceof BadRequestError || error instanceof UnknownToolError;
}

function notMade({ seq }: AgentTurn, open: readonly TurnAsk[]): DivergenceError {
  const calls = open.map(({ id, tool }) => `${tool} (${id})`).join(", ");
  return new DivergenceError(
    `the model was not asked: the answer at ${seq} asks for calls that have not been made, ${calls}, and this request ` +
      "carries no answer of them. One loop at a time drives a run: make them first, or give this loop a run of its own",
    { code: "divergence" },
    { position: seq, asked: open },
  );
}
