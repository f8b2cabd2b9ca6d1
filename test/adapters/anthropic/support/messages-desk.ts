import { Anthropic } from "@anthropic-ai/sdk";
import { AnthropicRun } from "#salvor/adapters/anthropic/index.js";
import { toolsFor } from "../../../client/support/tools.js";
import { scriptedTurn, type Turn } from "../../support/desk.js";
import { WorldDesk } from "../../support/world-desk.js";
import { ScriptedMessages } from "./scripted-messages.js";

/** A desk at which the Anthropic SDK works, with a server of the Messages API for each process. */
export class MessagesDesk extends WorldDesk {
  readonly #models: ScriptedMessages[] = [];

  static async start(): Promise<MessagesDesk> {
    return new MessagesDesk(await WorldDesk.startServer());
  }

  async stopModels(): Promise<void> {
    for (const model of this.#models.splice(0)) await model.stop();
  }

  /** Opens the run as a process does that has just started, with a model that says what a script says. */
  async process(script: readonly Turn[], timeoutMs?: number) {
    const model = await ScriptedMessages.start((results) => scriptedTurn(results, script));
    this.#models.push(model);
    const anthropic = new Anthropic({ apiKey: "none", baseURL: model.url });
    const tools = toolsFor(this.world, timeoutMs);
    const durable = await AnthropicRun.open(this.client, tools, { ...this.options, anthropic });
    const params = {
      model: "claude-scripted",
      max_tokens: 1024,
      messages: [{ role: "user" as const, content: "Pay." }],
      tools: [...durable.tools],
    };
    return { durable, model, params, messages: durable.anthropic.beta.messages };
  }
}

/** The text of a message. */
export function textOf({ content }: Anthropic.Beta.Messages.BetaMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
