import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { BaseMessage, ToolCall, ToolMessage } from "@langchain/core/messages";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import { StructuredTool } from "@langchain/core/tools";
import type { AgentRun } from "../../client/index.js";
import type { JsonObject } from "../../contract/json.js";
import type { ToolDescriptor } from "../../contract/tool-set.js";
import { asksBeside, taskMessages } from "./carried-asks.js";
import { performCall } from "./perform-call.js";

/**
 * A tool of a run, as LangChain has tools.
 *
 * It performs its call in this process, with the intent recorded before and the end behind it, and answers what is recorded when it
 * is asked again. A call that waits for a person interrupts the graph. A tool that failed, and an input that is not acceptable, are
 * messages of status `error`; any other error has to stop the graph.
 */
export class DurableTool extends StructuredTool<JsonObject> {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly #run: AgentRun;

  static override lc_name(): string {
    return "DurableTool";
  }

  constructor(run: AgentRun, { name, description, inputSchema }: ToolDescriptor) {
    super();
    this.name = name;
    this.description = description;
    this.schema = inputSchema;
    this.#run = run;
  }

  /**
   * Performs a call, or answers what is recorded of it. Its input is judged where it is recorded, by the operator's schema.
   *
   * @param call a tool call of a recorded answer, with its id.
   */
  override async invoke(call: unknown, config?: RunnableConfig): Promise<never> {
    if (!isToolCall(call))
      throw new TypeError(`${this.name} is invoked with a model's tool call, which has an id`);
    return (await this.perform(call, config)) as never;
  }

  /**
   * As {@link DurableTool.invoke} does, typed as what it is.
   *
   * @param messages what the graph holds, where that is at hand.
   */
  async perform(
    call: ToolCall,
    config?: RunnableConfig,
    messages?: readonly BaseMessage[],
  ): Promise<ToolMessage> {
    const full = ensureConfig(config);
    const { callbacks, tags, metadata, runId, runName = this.name, signal } = full;
    const manager = CallbackManager.configure(
      callbacks,
      this.callbacks,
      tags,
      this.tags,
      metadata,
      this.metadata,
    );
    const heard = await manager?.handleToolStart(
      this.toJSON(),
      call.args,
      runId,
      undefined,
      undefined,
      undefined,
      runName,
      call.id,
    );
    try {
      const carried = asksBeside(call.id, messages ?? taskMessages(full));
      const message = await performCall(this.#run, call, { signal, carried });
      await heard?.handleToolEnd(message);
      return message;
    } catch (error) {
      await heard?.handleToolError(error);
      throw error;
    }
  }

  protected override _call(): Promise<never> {
    return Promise.reject(new TypeError(`${this.name} is invoked with a model's tool call, which has an id`));
  }
}

function isToolCall(value: unknown): value is ToolCall {
  return typeof value === "object" && value !== null && "type" in value && value.type === "tool_call";
}
