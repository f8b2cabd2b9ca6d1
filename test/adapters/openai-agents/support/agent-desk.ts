import { Agent, Runner, type AgentConfiguration } from "@openai/agents";
import { OpenAIAgentsRun } from "#salvor/adapters/openai-agents/index.js";
import { toolsFor } from "../../../client/support/tools.js";
import { scriptedTurn, type Turn } from "../../support/desk.js";
import { WorldDesk } from "../../support/world-desk.js";
import { ScriptedModel } from "./scripted-model.js";

/** A desk at which the OpenAI Agents SDK works. */
export class AgentDesk extends WorldDesk {
  static async start(): Promise<AgentDesk> {
    return new AgentDesk(await WorldDesk.startServer());
  }

  /** Opens the run as a process does that has just started, with a model that says what a script says. */
  async process(script: readonly Turn[], settings: Partial<AgentConfiguration> = {}) {
    const durable = await OpenAIAgentsRun.open(this.client, toolsFor(this.world), this.options);
    const model = new ScriptedModel((results) => scriptedTurn(results, script));
    const tools = [...durable.tools, ...(settings.tools ?? [])];
    const agent = new Agent({ name: "Desk", ...settings, model: durable.model(model, "scripted"), tools });
    return { durable, model, agent, runner: new Runner({ tracingDisabled: true }) };
  }
}
