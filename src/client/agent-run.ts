import type { JsonValue } from "../contract/json.js";
import { holds } from "../log/events.js";
import { applyEvent, isTerminal, NOT_STARTED } from "../log/fold.js";
import type { Intent } from "../log/recorded-call.js";
import { AgentLog, hasAsk } from "./agent-log.js";
import {
  endOfTurn,
  isSameAsk,
  openCallOf,
  placeOf,
  unclear,
  type AgentTurn,
  type AsksOf,
  type ToolAsk,
} from "./agent-turns.js";
import type { CallOptions, ModelReply } from "./client-options.js";
import type { OpenOptions } from "./client-run-options.js";
import { ClientRun, type RunTools } from "./client-run.js";
import { GIVEN_UP, behindGivenUp } from "./given-up.js";
import { plainCopy } from "./json-text.js";
import { mayGoOnBehind } from "./may-go-on-behind.js";
import { askedModel } from "./model-driver.js";
import { HeldBackError } from "./passing-errors.js";
import { ToolFailedError } from "./run-errors.js";
import { WaitingError, waitingCall } from "./run-wait.js";
import type { SalvorClient } from "./salvor-client.js";
import { Turns } from "./turns.js";
import { BadRequestError, UnknownToolError } from "./wire-errors.js";

export interface AgentOptions extends OpenOptions {
  /** Reads which calls of tools a recorded answer of the model asks for, in its order. */
  readonly asks: AsksOf;
}

export interface AgentModelOptions extends CallOptions {
  /** The ids of the tool calls whose answers the request carries: how an agent that goes on from a checkpoint finds its place. */
  readonly answered?: readonly string[];
}

/**
 * Drives a run for an agent's loop that somebody else wrote: model calls and the tool calls that they ask for, each found in the log
 * by what it is and not by how many came before. So a loop may be repeated from its start, or go on from a checkpoint of its
 * own, in this process or another: what is recorded is answered, and executed is what is not.
 *
 * Calls are made one after another, in the order in which they are asked for; what waits behind one that did not end well is
 * refused with a {@link HeldBackError}.
 */
export class AgentRun {
  /** The run itself: its id and drive token, `now`, `random`, `report` and `flush`. */
  readonly run: ClientRun;
  readonly #client: SalvorClient;
  readonly #asks: AsksOf;
  readonly #queue = new Turns<never>();
  readonly #log: AgentLog;
  /** Which ask each call is that this instance performed or answered, by the call's position. */
  readonly #ids = new Map<number, string>();
  /** Asks that were refused before anything of them was recorded, by their turn's position and their id. */
  readonly #refused = new Set<string>();
  /** What asks came to that no recorded answer of a model holds, by their id. */
  readonly #unplaced = new Map<string, { readonly ask: ToolAsk; readonly output: JsonValue }>();
  /** The model's answer that this instance gave last. */
  #current: AgentTurn | undefined;

  /**
   * Opens a run, or goes on with one, as {@link ClientRun.open} does and with its errors.
   *
   * @param options.asks reads the tool calls out of what {@link AgentRun.model} records.
   *
   * @example
   * const asks = (response: unknown) => (response as { calls: ToolAsk[] }).calls;
   * const agent = await AgentRun.open(client, tools, { agentDefHash: "desk@1", asks });
   * console.log(agent.run.position); // 1
   */
  static async open(client: SalvorClient, tools: RunTools, options: AgentOptions): Promise<AgentRun> {
    return new AgentRun(client, await ClientRun.open(client, tools, options), options.asks);
  }

  private constructor(client: SalvorClient, run: ClientRun, asks: AsksOf) {
    this.#client = client;
    this.run = run;
    this.#asks = asks;
    this.#log = new AgentLog(client, run.runId, asks);
  }

  get runId(): string {
    return this.run.runId;
  }

  /**
   * Has a model called and records its answer, or answers what is recorded: a request that is recorded anywhere in this run is not
   * sent again.
   *
   * @param request what decides the answer and is the same whenever the loop runs again: no ids, times or headers that are made anew.
   * @param call asks the model. What it returns is recorded, and has to be JSON.
   * @returns what is recorded.
   * @throws {@link WaitingError} when a call of the run waits for a person: the model must not go on without its answer.
   * @throws {@link DivergenceError} when the log went on with another request. What `call` throws is thrown on.
   *
   * @example
   * const request = { messages: [{ role: "user", content: "Refund A-17." }] };
   * const usage = { input_tokens: 9, output_tokens: 3 };
   * await agent.model(request, async () => ({ response: { text: "How much?", calls: [] }, usage }));
   * const { response } = await agent.model(request, () => Promise.reject(new Error("it was asked again")));
   * console.log(response); // { text: 'How much?', calls: [] }
   */
  async model(
    request: JsonValue,
    call: () => Promise<ModelReply>,
    { answered = [], signal }: AgentModelOptions = {},
  ): Promise<ModelReply> {
    const asked = askedModel(request);
    return this.#inTurn("the model call", async () => {
      await this.#refresh({ signal });
      let at = this.#log.requestAt(asked.hash);
      if (at === undefined) {
        await this.#endOpenCall({ signal });
        at = await this.#giveUp(this.#placeBehind(answered), { signal });
      }
      const reply = await this.run.model(asked.request, call, { at, signal });
      this.#current = { seq: this.run.position - 2, asks: this.#asks(reply.response) };
      return reply;
    });
  }

  /**
   * Performs a tool call that a recorded answer of the model asks for, or answers what is recorded of it. An ask that no recorded
   * answer holds (the model's calls are not recorded) is made where the run stands, in the order in which it comes.
   *
   * @returns the call's recorded output: the same whenever the same ask is made.
   * @throws {@link ToolFailedError} when the call is recorded as failed, {@link BadRequestError} when its input is not
   *   acceptable: the model may be told.
   * @throws {@link WaitingError} when it waits for a person. Make the same ask again when the person has acted.
   * @throws {@link DivergenceError} when it cannot be told which recorded call it is. Others as {@link ClientRun.perform} does:
   *   the loop must stop, and may be repeated.
   *
   * @example
   * const ask = { id: "call_1", tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } };
   * const usage = { input_tokens: 9, output_tokens: 3 };
   * await agent.model({ turn: 1 }, async () => ({ response: { text: "", calls: [ask] }, usage }));
   * console.log(await agent.call(ask)); // { refund_id: 're_1', amount_cents: 500 }
   */
  async call(ask: ToolAsk, options: CallOptions = {}): Promise<JsonValue> {
    const own = { ...ask, input: plainCopy(ask.input, `input of ${ask.tool}`) };
    return this.#inTurn(ask.tool, () => this.#perform(own, options));
  }

  /**
   * Ends the run with its output, wherever the loop stands in the log. The same end may be recorded already.
   *
   * @example
   * await agent.complete({ refunded: 500 });
   */
  async complete(output: JsonValue, options: CallOptions = {}): Promise<void> {
    await this.#inTurn("complete", async () => {
      await this.run.complete(output, { ...options, at: await this.#end(options) });
    });
  }

  /**
   * Ends the run as failed, wherever the loop stands in the log.
   *
   * @example
   * await agent.fail("the customer hung up");
   */
  async fail(error: string, options: CallOptions = {}): Promise<void> {
    await this.#inTurn("fail", async () => {
      await this.run.fail(error, { ...options, at: await this.#end(options) });
    });
  }

  async #perform(ask: ToolAsk, options: CallOptions): Promise<JsonValue> {
    for (;;) {
      await this.#refresh(options);
      const turn = this.#log.turnOfAsk(ask, this.#current);
      if (turn === undefined) return this.#performUnplaced(ask, options);
      const refusal = (id: string) => `${turn.seq} ${id}`;
      const place = placeOf(this.#log.events, turn, ask, {
        idAt: (seq) => this.#ids.get(seq),
        isRefused: (id) => this.#refused.has(refusal(id)),
      });
      if ("behind" in place) {
        await this.#endCall(place.behind, options);
        continue;
      }
      try {
        return await this.run.perform(ask.tool, ask.input, { ...options, at: place.at });
      } catch (error) {
        if (isRefusal(error)) this.#refused.add(refusal(ask.id));
        throw error;
      } finally {
        // Whatever is recorded there from now on is this ask's.
        if (!this.#refused.has(refusal(ask.id))) this.#ids.set(place.at, ask.id);
      }
    }
  }

  async #performUnplaced(ask: ToolAsk, options: CallOptions): Promise<JsonValue> {
    const known = this.#unplaced.get(ask.id);
    if (known !== undefined && isSameAsk(known.ask, ask)) return known.output;
    if (known !== undefined) throw unclear(ask, "another call of this process had that id");
    const output = await this.run.perform(ask.tool, ask.input, options);
    this.#unplaced.set(ask.id, { ask, output });
    return output;
  }

  /** The turn that ids are part of: of the answer that was given last, or else of the last recorded one that has one of them. */
  #turnOf(ids: readonly string[]): AgentTurn | undefined {
    const given = this.#current;
    return given !== undefined && hasAsk(given, ids) ? given : this.#log.lastTurnWith(ids);
  }

  /** Where a model call goes that is not recorded: behind the turn that it carries the answers of, or that was given last. */
  #placeBehind(answered: readonly string[]): number {
    const carried = this.#turnOf(answered);
    const given = this.#current;
    const turn = carried === undefined || (given !== undefined && given.seq > carried.seq) ? given : carried;
    return turn === undefined
      ? behindGivenUp(this.#log.events, this.run.position)
      : endOfTurn(this.#log.events, turn);
  }

  /** Gives up a model call that is open at a position where something else is to be recorded; answers where that goes. */
  async #giveUp(at: number, options: CallOptions): Promise<number> {
    if (at !== this.#log.events.length - 1 || !holds(this.#log.events[at], "ModelCallRequested")) return at;
    const { runId: run, driveToken } = this.run;
    await this.#client.modelCompletion({ run, driveToken }, at, GIVEN_UP, options);
    await this.#refresh(options);
    return this.#log.events.length;
  }

  /** Where the end of the run is, or goes. */
  async #end(options: CallOptions): Promise<number> {
    await this.#refresh(options);
    await this.#endOpenCall(options);
    await this.#giveUp(this.#log.events.length - 1, options);
    const last = this.#log.events.at(-1);
    const isOver = last !== undefined && isTerminal(applyEvent(NOT_STARTED, last).status);
    return isOver ? last.seq : this.#log.events.length;
  }

  async #endOpenCall(options: CallOptions): Promise<void> {
    const open = openCallOf(this.#log.events);
    if (open !== undefined) await this.#endCall(open, options);
    await this.#refresh(options);
  }

  /** Ends a call that is open: a `read` or `idempotent` one is performed again; for any other a person is waited for. */
  async #endCall({ seq, event }: Intent, options: CallOptions): Promise<void> {
    const { tool, input } = event.payload;
    try {
      await this.run.perform(tool, input, { ...options, at: seq });
    } catch (error) {
      if (!(error instanceof ToolFailedError)) throw error;
    }
  }

  async #refresh(options: CallOptions): Promise<void> {
    await this.run.flush();
    await this.#log.refresh(options);
  }

  #inTurn<T>(what: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.take(() => this.#holdingBack(work), {
      heldBack: (cause) => new HeldBackError(what, cause),
    });
  }

  async #holdingBack<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const said = await this.#waiting(error);
      if (!mayGoOnBehind(said, false)) this.#queue.holdBack(said);
      throw said;
    }
  }

  /** The error as it is, or what it waits for, told in full. */
  async #waiting(error: unknown): Promise<unknown> {
    const waiting = waitingCall(error);
    if (waiting === undefined) return error;
    try {
      await this.#refresh({});
    } catch {
      // What is known says enough, or the error itself does.
    }
    const intent = this.#log.events[waiting.seq];
    if (!holds(intent, "ToolCallRequested")) return error;
    const { tool, input, idempotency_key: idempotencyKey } = intent.event.payload;
    return new WaitingError({ ...waiting, runId: this.runId, tool, input, idempotencyKey }, error);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof BadRequestError || error instanceof UnknownToolError;
}
