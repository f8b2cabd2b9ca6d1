import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import type { AgentMiddleware } from "langchain";
import {
  AgentRun,
  type OpenOptions,
  type RunTools,
  type RunWait,
  type SalvorClient,
} from "../../client/index.js";
import { durableMiddleware } from "./durable-middleware.js";
import { DurableModel, type DurableModelOptions } from "./durable-model.js";
import { DurableTool } from "./durable-tool.js";
import { callsIn, marksIn } from "./message-json.js";
import { waitsIn } from "./waiting.js";

/**
 * A run of an agent of LangChain, or of a graph of LangGraph, whose tool calls and model calls are recorded.
 *
 * @example
 * ```ts
 * const durable = await LangChainRun.open(salvor, tools, { runId, agentDefHash: "refund-flow@1", input });
 * const agent = createAgent({ model, middleware: [durable.middleware], checkpointer });
 * const state = await agent.invoke({ messages: "Refund order A-17." }, { configurable: { thread_id: durable.runId } });
 * if (durable.waits(state).length === 0) await durable.agentRun.complete(state.messages.at(-1).text);
 * ```
 */
export class LangChainRun {
  /** The run: its id, `complete` and `fail`, and under `run` its drive token, `now`, `random` and `report`. */
  readonly agentRun: AgentRun;
  /**
   * The run's tools, as LangChain's own: for a model to be told of, and for a `ToolNode` to perform. An error of theirs that is not a
   * message already has to stop the graph, so a `ToolNode` gets `{ handleToolErrors: false }`.
   */
  readonly tools: readonly DurableTool[];
  /**
   * Makes an agent of `createAgent` durable: records what its model answers, brings {@link LangChainRun.tools} along and performs
   * their calls.
   *
   * What stands before it in `middleware` decides what is asked, such as a prompt or a choice of model; what stands behind it
   * is part of the one call that is recorded, such as a retry or another model to fall back on. Calls of the run's tools
   * pass no middleware behind it, and none before it may catch what they throw.
   */
  readonly middleware: AgentMiddleware;

  /**
   * Opens a run, or goes on with one.
   *
   * @param tools a `ToolSet`, or `declaredTools(...)`.
   * @throws what `AgentRun.open` throws: `DriftError`, `DivergenceError` and the errors of the server.
   */
  static async open(client: SalvorClient, tools: RunTools, options: OpenOptions = {}): Promise<LangChainRun> {
    const agentRun = await AgentRun.open(client, tools, { ...options, asks: callsIn, marks: marksIn });
    return new LangChainRun(agentRun, tools);
  }

  private constructor(agentRun: AgentRun, tools: RunTools) {
    this.agentRun = agentRun;
    this.tools = tools.descriptors().map((tool) => new DurableTool(agentRun, tool));
    this.middleware = durableMiddleware(agentRun, this.tools);
  }

  get runId(): string {
    return this.agentRun.runId;
  }

  /**
   * A chat model whose answers are recorded, for a graph that asks its model itself. A request that is recorded is answered from
   * the log: the model is not asked, and whoever listens for tokens hears the recorded answer.
   *
   * @param model any chat model of LangChain, without tools bound to it.
   * @param options.tools the tools that the model is told of: the run's, unless given.
   */
  model(
    model: BaseChatModel,
    options: DurableModelOptions = {},
  ): Runnable<BaseLanguageModelInput, AIMessage> {
    return new DurableModel(this.agentRun, model, { tools: this.tools, ...options });
  }

  /**
   * The calls of this run that a graph was interrupted for, each once.
   *
   * @param state what `invoke` of the agent or the graph returned.
   */
  waits(state: unknown): readonly RunWait[] {
    const waits = waitsIn(state).filter(({ runId }) => runId === this.runId);
    return [...new Map(waits.map((wait) => [wait.seq, wait])).values()];
  }
}
