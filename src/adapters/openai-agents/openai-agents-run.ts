import type { FunctionTool, Model, ModelProvider, RunToolApprovalItem } from "@openai/agents";
import {
  AgentRun,
  type OpenOptions,
  type RunTools,
  type RunWait,
  type SalvorClient,
} from "../../client/index.js";
import { functionTool } from "./function-tools.js";
import { asksOf, marksOf } from "./model-answer.js";
import { PerformedCalls } from "./performed-calls.js";
import { RecordedModel } from "./recorded-model.js";

/** What ended with interruptions: a result of the framework, or its state. */
export type Interrupted =
  | { readonly interruptions: readonly RunToolApprovalItem[] | undefined }
  | { getInterruptions(): readonly RunToolApprovalItem[] };

/**
 * A run of the OpenAI Agents SDK whose tool calls and model calls are recorded.
 *
 * @example
 * ```ts
 * const durable = await OpenAIAgentsRun.open(salvor, tools, { runId, agentDefHash: "refund-desk@1", input });
 * const agent = new Agent({ name: "Refund desk", instructions, tools: [...durable.tools] });
 * const runner = new Runner({ modelProvider: durable.provider(new OpenAIProvider()) });
 * const result = await runner.run(agent, "Refund order A-17.");
 * if (result.interruptions.length > 0) console.log(durable.waits(result));
 * else await durable.agentRun.complete(result.finalOutput ?? null);
 * ```
 */
export class OpenAIAgentsRun {
  /** The run: its id, `complete` and `fail`, and under `run` its drive token, `now`, `random` and `report`. */
  readonly agentRun: AgentRun;
  /** The run's tools, as the framework's own. */
  readonly tools: readonly FunctionTool[];
  readonly #calls: PerformedCalls;

  /**
   * Opens a run, or goes on with one.
   *
   * @param tools a `ToolSet`, or `declaredTools(...)`.
   * @param options as of `ClientRun.open`: keep `runId`, it is how another process goes on.
   * @throws what `AgentRun.open` throws: `DriftError`, `DivergenceError` and the errors of the server.
   */
  static async open(
    client: SalvorClient,
    tools: RunTools,
    options: OpenOptions = {},
  ): Promise<OpenAIAgentsRun> {
    const agentRun = await AgentRun.open(client, tools, { ...options, asks: asksOf, marks: marksOf });
    return new OpenAIAgentsRun(agentRun, tools);
  }

  private constructor(agentRun: AgentRun, tools: RunTools) {
    const calls = new PerformedCalls(agentRun);
    this.agentRun = agentRun;
    this.#calls = calls;
    this.tools = tools.descriptors().map((tool) => functionTool(tool, calls));
  }

  get runId(): string {
    return this.agentRun.runId;
  }

  /**
   * A model whose calls are recorded, for an agent that is given a model and not a name.
   *
   * @param name is recorded as part of each request: another name is another request.
   * @returns a model that throws what the model throws, and what `AgentRun.model` throws: `WaitingError`, `DivergenceError`.
   *
   * @example
   * ```ts
   * const agent = new Agent({ name: "Refund desk", model: durable.model(aisdk(model), "small"), tools: [...durable.tools] });
   * ```
   */
  model(model: Model, name?: string): Model {
    return new RecordedModel(this.agentRun, this.#calls, model, name);
  }

  /**
   * A provider of models whose calls are recorded, for a `Runner`.
   *
   * @example
   * ```ts
   * const runner = new Runner({ modelProvider: durable.provider(new OpenAIProvider()) });
   * ```
   */
  provider(provider: ModelProvider): ModelProvider {
    return {
      getModel: async (name) => this.model(await provider.getModel(name), name),
    };
  }

  /**
   * What the interruptions of a result wait for, each call once. Those that are not of this run's tools are not among them, and
   * nothing is known of those of a state that was read back and has not gone on.
   *
   * @example
   * ```ts
   * const result = await runner.run(agent, "Refund order A-17.");
   * for (const wait of durable.waits(result)) console.log(wait.kind, wait.tool, wait.seq, wait.reason);
   * ```
   */
  waits(interrupted: Interrupted): readonly RunWait[] {
    const items =
      "getInterruptions" in interrupted ? interrupted.getInterruptions() : (interrupted.interruptions ?? []);
    const waits = items.flatMap(({ rawItem }) => {
      const wait = "callId" in rawItem ? this.#calls.waitOf(rawItem.callId) : undefined;
      return wait === undefined ? [] : [wait];
    });
    return [...new Map(waits.map((wait) => [wait.seq, wait])).values()];
  }
}
