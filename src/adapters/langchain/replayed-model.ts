import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { JsonValue } from "../../contract/json.js";
import { answerOf, usageOf } from "./message-json.js";

/** A model that says again what is recorded, to whoever listens to models: streams and traces hear it as they heard it first. */
export class ReplayedModel extends BaseChatModel {
  readonly #response: JsonValue;
  #isAsked = false;

  constructor(response: JsonValue) {
    super({});
    this.#response = response;
  }

  /** What a chat model makes of what it is invoked with. */
  static messagesOf(input: BaseLanguageModelInput): BaseMessage[] {
    return this._convertInputToPromptValue(input).toChatMessages();
  }

  /** Whether it was asked: whoever was handed it may have asked another model instead. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  override _llmType(): string {
    return "salvor-replayed";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(): Promise<ChatResult> {
    const message = this.#answer();
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const message = chunkOf(this.#answer());
    const chunk = new ChatGenerationChunk({ text: message.text, message });
    yield chunk;
    await runManager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
  }

  #answer(): AIMessage {
    this.#isAsked = true;
    return answerOf(this.#response);
  }
}

function chunkOf(message: AIMessage): AIMessageChunk {
  const { content, tool_calls = [], response_metadata, additional_kwargs, id, name } = message;
  const usage_metadata = usageOf(message);
  const fields = {
    content,
    response_metadata,
    additional_kwargs,
    tool_call_chunks: tool_calls.map(({ id: call, name: tool, args }, index) => ({
      type: "tool_call_chunk" as const,
      index,
      ...(call !== undefined && { id: call }),
      name: tool,
      args: JSON.stringify(args),
    })),
    ...(usage_metadata && { usage_metadata }),
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
  };
  return new AIMessageChunk(fields as ConstructorParameters<typeof AIMessageChunk>[0] & object);
}
