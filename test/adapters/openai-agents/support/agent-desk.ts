import { Agent, Runner, type AgentConfiguration } from "@openai/agents";
import { OpenAIAgentsRun } from "#salvor/adapters/openai-agents/index.js";
import { SalvorClient } from "#salvor/client/index.js";
import { TestServer } from "../../../client/support/server.js";
import { ALL, toolsFor, World } from "../../../client/support/tools.js";
import { scriptedTurn, type ScriptedCall, type Turn } from "../../support/desk.js";
import { ScriptedModel } from "./scripted-model.js";

/** A call of the scripted model. */
export function call(id: string, tool: string, order = 1, amount_cents = 500): ScriptedCall {
  return { id, tool, input: { order_id: `o-${order}`, amount_cents } };
}

/** A server, and a world that tools act on, for one test after another. */
export class AgentDesk {
  world = new World();
  runId: string = crypto.randomUUID();

  private constructor(readonly server: TestServer) {}

  static async start(): Promise<AgentDesk> {
    return new AgentDesk(await TestServer.start(ALL));
  }

  get client(): SalvorClient {
    return new SalvorClient({ url: this.server.url, retries: 0 });
  }

  /** Another run, and another world. */
  reset(): void {
    this.world = new World();
    this.runId = crypto.randomUUID();
  }

  /** Opens the run as a process does that has just started, with a model that says what a script says. */
  async process(script: readonly Turn[], settings: Partial<AgentConfiguration> = {}) {
    const { client, runId, world } = this;
    const options = { runId, agentDefHash: "desk@1", input: null };
    const durable = await OpenAIAgentsRun.open(client, toolsFor(world), options);
    const model = new ScriptedModel((results) => scriptedTurn(results, script));
    const tools = [...durable.tools, ...(settings.tools ?? [])];
    const agent = new Agent({ name: "Desk", ...settings, model: durable.model(model, "scripted"), tools });
    return { durable, model, agent, runner: new Runner({ tracingDisabled: true }) };
  }

  async kinds(): Promise<readonly string[]> {
    return (await this.client.log(this.runId)).map(({ event }) => event.kind);
  }

  /** What is recorded, without when. */
  async events(): Promise<readonly unknown[]> {
    return (await this.client.log(this.runId)).map(({ event }) => event);
  }
}
