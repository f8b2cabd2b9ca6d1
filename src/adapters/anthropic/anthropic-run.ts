import type { Anthropic } from "@anthropic-ai/sdk";
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { AgentRun, type OpenOptions, type RunTools, type SalvorClient } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import type { LoopStoppedError } from "./loop-stopped-error.js";
import { marksOf } from "./message-marks.js";
import { recordMessages } from "./record-messages.js";
import { asksOf } from "./recorded-answer.js";
import { runnableTool } from "./runnable-tools.js";
import { Stops } from "./stops.js";

export interface AnthropicRunOptions extends OpenOptions {
  /** The client of the SDK, with its key. It is not changed. */
  readonly anthropic: Anthropic;
}

/**
 * A run of the Anthropic SDK's tool runner whose tool calls and model calls are recorded.
 *
 * @example
 * ```ts
 * const durable = await AnthropicRun.open(salvor, tools, { anthropic, runId, agentDefHash: "refund-desk@1", input });
 * const message = await durable.anthropic.beta.messages.toolRunner({
 *   model: "claude-sonnet-5-5",
 *   max_tokens: 1024,
 *   messages: [{ role: "user", content: "Refund order A-17." }],
 *   tools: [...durable.tools],
 * });
 * await durable.agentRun.complete(message.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
 * ```
 */
export class AnthropicRun {
  /** The run: its id, `complete` and `fail`, and under `run` its drive token, `now`, `random` and `report`. */
  readonly agentRun: AgentRun;
  /** The client with which requests for messages are recorded, and answered from the log where they are. */
  readonly anthropic: Anthropic;
  /** The run's tools, as the tool runner's own. */
  readonly tools: readonly BetaRunnableTool<JsonValue>[];
  readonly #stops: Stops;

  /**
   * Opens a run, or goes on with one.
   *
   * @param tools a `ToolSet`, or `declaredTools(...)`.
   * @param options as of `ClientRun.open`, and the SDK's client: keep `runId`, it is how another process goes on.
   * @throws what `AgentRun.open` throws: `DriftError`, `DivergenceError` and the errors of the server.
   */
  static async open(
    client: SalvorClient,
    tools: RunTools,
    { anthropic, ...options }: AnthropicRunOptions,
  ): Promise<AnthropicRun> {
    const agentRun = await AgentRun.open(client, tools, { ...options, asks: asksOf, marks: marksOf });
    return new AnthropicRun(agentRun, tools, anthropic);
  }

  private constructor(agentRun: AgentRun, tools: RunTools, anthropic: Anthropic) {
    const stops = new Stops();
    this.agentRun = agentRun;
    this.#stops = stops;
    this.tools = tools.descriptors().map((tool) => runnableTool(agentRun, tool, stops));
    // Behind all other middleware: what is recorded is what is sent.
    const middleware = [...anthropic.middleware, recordMessages(agentRun, stops)];
    this.anthropic = anthropic.withOptions({ middleware });
  }

  get runId(): string {
    return this.agentRun.runId;
  }

  /**
   * What stopped the loop, if something did. A runner throws it when it asks the model again; one that ends before that, because of
   * its `max_iterations`, does not.
   *
   * @example
   * ```ts
   * const message = await durable.anthropic.beta.messages.toolRunner({ ...params, max_iterations: 5 });
   * if (durable.stopped !== undefined) throw durable.stopped;
   * ```
   */
  get stopped(): LoopStoppedError | undefined {
    return this.#stops.among();
  }
}
