import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, RunState, Runner } from "@openai/agents";
import { OpenAIAgentsRun } from "#salvor/adapters/openai-agents/index.js";
import { declaredTools } from "#salvor/index.js";
import { PROMPT } from "../../support/desk.js";
import { DeskChild } from "../../support/desk-child.js";
import { ScriptedModel } from "./scripted-model.js";

/** The desk's script with the OpenAI Agents SDK. The other way: streamed, and its interruptions go on without an approval. */
await DeskChild.run(async (child) => {
  const { client, handlers, options, setting } = child;
  const isStreamed = setting.way === 1;
  const durable = await OpenAIAgentsRun.open(
    client,
    declaredTools(await client.clientTools(), handlers),
    options,
  );
  const model = new ScriptedModel((results) => child.turn(results));
  const agent = new Agent({ name: "Desk", instructions: "Help.", tools: [...durable.tools] });
  const runner = new Runner({
    modelProvider: durable.provider({ getModel: () => model }),
    model: "scripted",
    tracingDisabled: true,
  });
  const saved = join(setting.folder, "state.json");
  const state = existsSync(saved) ? await RunState.fromString(agent, readFileSync(saved, "utf8")) : undefined;
  if (!isStreamed) for (const item of state?.getInterruptions() ?? []) state?.approve(item);
  const result = isStreamed ? await streamed() : await runner.run(agent, state ?? PROMPT);
  const [wait] = durable.waits(result);
  if (wait !== undefined) {
    writeFileSync(saved, result.state.toString());
    return { end: "waiting", seq: wait.seq };
  }
  await durable.agentRun.complete({ text: result.finalOutput ?? null });
  return { end: "done", output: result.finalOutput };

  async function streamed() {
    const stream = await runner.run(agent, state ?? PROMPT, { stream: true });
    const heard: string[] = [];
    for await (const { type } of stream) heard.push(type);
    await stream.completed;
    return stream;
  }
});
