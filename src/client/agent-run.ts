import type { JsonValue } from "../contract/json.js";
import { holds } from "../log/events.js";
import { applyEvent, isTerminal, NOT_STARTED } from "../log/fold.js";
import { AgentCalls } from "./agent-calls.js";
import { AgentLog } from "./agent-log.js";
import type { AgentCallOptions, AgentModelOptions, AgentOptions, CallEnd } from "./agent-options.js";
import { turnAt, type AnswerReaders, type ToolAsk } from "./agent-turns.js";
import type { HeldAsk } from "./ask-place.js";
import type { CallOptions, ModelReply } from "./client-options.js";
import { ClientRun, type RunTools } from "./client-run.js";
import { GIVEN_UP } from "./given-up.js";
import { plainCopy } from "./json-text.js";
import { mayGoOnBehind } from "./may-go-on-behind.js";
import { askedModel } from "./model-driver.js";
import { HeldBackError } from "./passing-errors.js";
import { WaitingError, waitingCall } from "./run-wait.js";
import type { SalvorClient } from "./salvor-client.js";
import { Turns } from "./turns.js";

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
  readonly #read: AnswerReaders;
  readonly #queue = new Turns<never>();
  readonly #log: AgentLog;
  readonly #calls: AgentCalls;

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
    return new AgentRun(client, await ClientRun.open(client, tools, options), tools, options);
  }

  private constructor(client: SalvorClient, run: ClientRun, tools: RunTools, { asks, marks }: AgentOptions) {
    this.#client = client;
    this.run = run;
    this.#read = { asks, marks };
    this.#log = new AgentLog(client, run.runId, this.#read);
    this.#calls = new AgentCalls(run, this.#log, new Set(tools.names()));
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
   * @throws {@link DivergenceError} when the log went on with another request, or when calls that the last answer asks for have not been
   *   made and the request does not carry answers of them: one loop at a time drives a run. What `call` throws is thrown on.
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
    const made = await this.#inTurn("the model call", async () => {
      await this.#calls.refresh({ signal });
      let at = this.#log.requestAt(asked.hash);
      if (at === undefined) {
        // Not thrown here: what waits behind it belongs to the other loop, and goes on.
        const refusal = this.#calls.refusalOfModel(answered);
        if (refusal !== undefined) return { refusal };
        await this.#calls.endOpen("the model call", { signal });
        at = await this.#giveUp(this.#calls.modelPlace(answered), { signal });
      }
      const reply = await this.run.model(asked.request, call, { at, signal });
      this.#calls.given = { turn: turnAt(this.run.position - 2, reply.response, this.#read), signal };
      return { reply };
    });
    if (made.refusal !== undefined) throw made.refusal;
    return made.reply;
  }

  /**
   * Performs a tool call that a recorded answer of the model asks for, or answers what is recorded of it. An ask that no recorded
   * answer holds (the model's calls are not recorded) is made where the run stands, in the order in which it comes.
   *
   * @param options.carried what the loop knows of the other asks of the same answer.
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
  async call(ask: ToolAsk, options: AgentCallOptions = {}): Promise<JsonValue> {
    const own = { ...ask, input: plainCopy(ask.input, `input of ${ask.tool}`) };
    return this.#inTurn(ask.tool, () => this.#calls.perform(own, options));
  }

  /**
   * How calls ended of which a loop is about to tell its model something else: a denial, because a person declined them, or an
   * error, because the loop could not go on. A `write` that is recorded as performed must not be told so.
   *
   * @param carried the asks of each answer that the request carries, in their order, with what the model would be told. What the
   *   request does not hold of an ask, such as its input, is left out.
   * @returns for each of these answers, by the ids of asks, how those ended that `told` something else and have a recorded call.
   * @throws {@link WaitingError} when one of them waits for a person, and what {@link AgentRun.call} throws.
   *
   * @example
   * const ask = { id: "call_1", tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } };
   * const usage = { input_tokens: 9, output_tokens: 3 };
   * await agent.model({ turn: 1 }, async () => ({ response: { text: "", calls: [ask] }, usage }));
   * await agent.call(ask);
   * // A person declined it, too late.
   * const [ends] = await agent.endsOf([[{ ...ask, told: "denial" }]]);
   * console.log(ends?.get("call_1")); // { output: { refund_id: 're_1', amount_cents: 500 } }
   */
  async endsOf(
    carried: readonly (readonly HeldAsk[])[],
    options: CallOptions = {},
  ): Promise<readonly ReadonlyMap<string, CallEnd>[]> {
    if (!this.#calls.hasDoubted(carried)) return carried.map(() => new Map());
    return this.#inTurn("the model call", () => this.#calls.endsOf(carried, options));
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

  /** Gives up a model call that is open at a position where something else is to be recorded; answers where that goes. */
  async #giveUp(at: number, options: CallOptions): Promise<number> {
    if (at !== this.#log.events.length - 1 || !holds(this.#log.events[at], "ModelCallRequested")) return at;
    const { runId: run, driveToken } = this.run;
    await this.#client.modelCompletion({ run, driveToken }, at, GIVEN_UP, options);
    await this.#calls.refresh(options);
    return this.#log.events.length;
  }

  /** Where the end of the run is, or goes. */
  async #end(options: CallOptions): Promise<number> {
    await this.#calls.refresh(options);
    await this.#calls.endOpen("the end of the run", options);
    await this.#giveUp(this.#log.events.length - 1, options);
    const last = this.#log.events.at(-1);
    const isOver = last !== undefined && isTerminal(applyEvent(NOT_STARTED, last).status);
    return isOver ? last.seq : this.#log.events.length;
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
      await this.#calls.refresh({});
    } catch {
      // What is known says enough, or the error itself does.
    }
    const intent = this.#log.events[waiting.seq];
    if (!holds(intent, "ToolCallRequested")) return error;
    const { tool, input, idempotency_key: idempotencyKey } = intent.event.payload;
    return new WaitingError({ ...waiting, runId: this.runId, tool, input, idempotencyKey }, error);
  }
}
