import { Anthropic } from "@anthropic-ai/sdk";
import { AnthropicRun } from "#salvor/adapters/anthropic/index.js";
import { SalvorClient } from "#salvor/client/index.js";
import { TestServer } from "../../../client/support/server.js";
import { ALL, toolsFor, World } from "../../../client/support/tools.js";
import { scriptedTurn, type ScriptedCall, type Turn } from "../../support/desk.js";
import { ScriptedMessages } from "./scripted-messages.js";

/** A call of the scripted model. */
export function call(id: string, tool: string, order = 1, amount_cents = 500): ScriptedCall {
  return { id, tool, input: { order_id: `o-${order}`, amount_cents } };
}

/** A server, a model's server, and a world that tools act on, for one test after another. */
export class MessagesDesk {
  world = new World();
  runId: string = crypto.randomUUID();
  readonly #models: ScriptedMessages[] = [];

  private constructor(readonly server: TestServer) {}

  static async start(): Promise<MessagesDesk> {
    return new MessagesDesk(await TestServer.start(ALL));
  }

  get client(): SalvorClient {
    return new SalvorClient({ url: this.server.url, retries: 0 });
  }

  /** Another run, and another world. */
  async reset(): Promise<void> {
    this.world = new World();
    this.runId = crypto.randomUUID();
    await this.#stopModels();
  }

  async stop(): Promise<void> {
    await this.#stopModels();
    await this.server.remove();
  }

  /** Opens the run as a process does that has just started, with a model that says what a script says. */
  async process(script: readonly Turn[], timeoutMs?: number) {
    const { client, runId, world } = this;
    const model = await ScriptedMessages.start((results) => scriptedTurn(results, script));
    this.#models.push(model);
    const anthropic = new Anthropic({ apiKey: "none", baseURL: model.url });
    const options = { runId, agentDefHash: "desk@1", input: null, anthropic };
    const durable = await AnthropicRun.open(client, toolsFor(world, timeoutMs), options);
    const params = {
      model: "claude-scripted",
      max_tokens: 1024,
      messages: [{ role: "user" as const, content: "Pay." }],
      tools: [...durable.tools],
    };
    return { durable, model, params, messages: durable.anthropic.beta.messages };
  }

  async kinds(): Promise<readonly string[]> {
    return (await this.client.log(this.runId)).map(({ event }) => event.kind);
  }

  /** What is recorded, without when. */
  async events(): Promise<readonly unknown[]> {
    return (await this.client.log(this.runId)).map(({ event }) => event);
  }

  async #stopModels(): Promise<void> {
    for (const model of this.#models.splice(0)) await model.stop();
  }
}

/** The text of a message. */
export function textOf({ content }: Anthropic.Beta.Messages.BetaMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
