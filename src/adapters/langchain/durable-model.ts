import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import type { AgentRun } from "../../client/index.js";
import { asRecorded } from "./as-recorded.js";
import { answerOf } from "./message-json.js";
import { recordedAnswer } from "./recorded-answer.js";
import { ReplayedModel } from "./replayed-model.js";

export interface DurableModelOptions {
  /** The tools that the model is told of. */
  readonly tools?: readonly Parameters<NonNullable<BaseChatModel["bindTools"]>>[0][number][] | undefined;
  /** What else is bound to the model with its tools, such as `tool_choice`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A chat model whose answers are recorded in a run. */
export class DurableModel extends Runnable<BaseLanguageModelInput, AIMessage> {
  override lc_namespace = ["salvor", "langchain"];
  readonly #run: AgentRun;
  readonly #model: BaseChatModel;
  readonly #options: DurableModelOptions;

  constructor(run: AgentRun, model: BaseChatModel, options: DurableModelOptions) {
    super();
    this.#run = run;
    this.#model = model;
    this.#options = options;
  }

  override async invoke(input: BaseLanguageModelInput, config?: Partial<RunnableConfig>): Promise<AIMessage> {
    const { tools, settings } = this.#options;
    const messages = await asRecorded(this.#run, ReplayedModel.messagesOf(input), config?.signal);
    const { response, isReplayed } = await recordedAnswer(
      this.#run,
      { model: this.#model, messages, tools, settings },
      () => this.#bound().invoke(messages, config),
      config?.signal,
    );
    if (isReplayed) await new ReplayedModel(response).invoke(messages, config);
    return answerOf(response);
  }

  #bound(): Runnable<BaseLanguageModelInput, AIMessageChunk> {
    const { tools = [], settings = {} } = this.#options;
    if (tools.length === 0) return this.#model.withConfig({ ...settings });
    if (this.#model.bindTools === undefined) throw new TypeError(`${this.#model.getName()} takes no tools`);
    return this.#model.bindTools([...tools], { ...settings });
  }
}
