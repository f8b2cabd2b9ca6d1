import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** Stands where a real chat model would, so that the story is told offline: it looks the order up, asks the manager, and refunds. */
export class ScriptedModel extends BaseChatModel {
  /** @param onAsked is told behind how many results of tools the model is asked. */
  constructor(private readonly onAsked: (results: number) => void) {
    super({});
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    this.onAsked(results.length);
    const message = answerBehind(
      results.map(({ text }) => JSON.parse(text) as Readonly<Record<string, unknown>>),
    );
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}

function answerBehind([order, approval, refund]: readonly Readonly<Record<string, unknown>>[]): AIMessage {
  if (order === undefined) return asking("look_up_order", { order_id: "A-17" });
  const payment = { order_id: "A-17", amount_cents: order["paid_cents"] };
  if (approval === undefined) return asking("ask_manager", payment);
  if (approval["approved"] !== true) return new AIMessage("The manager says no.");
  if (refund === undefined) return asking("refund_card", payment);
  return new AIMessage(`Refunded: ${String(refund["refund_id"])}.`);
}

function asking(name: string, args: Record<string, unknown>): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id: `call_${name}`, name, args, type: "tool_call" }] });
}
