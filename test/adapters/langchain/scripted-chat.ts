import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Turn } from "../support/desk.js";

const USAGE = { usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } };

/** A chat model that says what a script says, word by word to whoever listens. */
export class ScriptedChat extends BaseChatModel {
  /** What each request told it: the results of tools, in their order. */
  readonly told: (readonly string[])[] = [];

  /** @param turn is asked what is said behind so many results of tools. */
  constructor(private readonly turn: (results: number) => Turn) {
    super({});
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = new AIMessage(this.#answer(messages));
    Object.assign(message, USAGE);
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { content, tool_calls, ...rest } = this.#answer(messages);
    const words = content.split(/(?<= )/).map((word) => new AIMessageChunk({ id: rest.id, content: word }));
    const tool_call_chunks = tool_calls.map(({ args, ...call }, index) => ({
      ...call,
      ...{ index, type: "tool_call_chunk" as const, args: JSON.stringify(args) },
    }));
    const last = new AIMessageChunk({ ...rest, content: "", tool_call_chunks });
    Object.assign(last, USAGE);
    for (const message of [...words, last]) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  #answer(messages: readonly BaseMessage[]) {
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    this.told.push(results.map(({ text }) => text));
    const { text, calls } = this.turn(results.length);
    return {
      // The same at the same place: a run's log is compared with another run's.
      id: `msg_${results.length}`,
      content: text,
      tool_calls: calls.map(({ id, tool, input }) => ({
        id,
        name: tool,
        args: { ...input },
        type: "tool_call" as const,
      })),
    };
  }
}
