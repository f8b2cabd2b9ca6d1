import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolLoopAgent, generateText, stepCountIs, type ModelMessage } from "ai";
import { AiSdkRun } from "#salvor/adapters/ai-sdk/index.js";
import { declaredTools } from "#salvor/schema/declared-tools.js";
import { PROMPT } from "../support/desk.js";
import { DeskChild, type ChildEnd } from "../support/desk-child.js";
import { approved } from "./support/approved.js";
import { ScriptedModel, resultsIn } from "./support/scripted-model.js";

// One process streams and the next does not. Where one waited, the next goes on with its messages, or repeats the turn.
await DeskChild.run(async (child): Promise<ChildEnd> => {
  const { client, handlers, options, setting } = child;
  const tools = declaredTools(await client.clientTools(), handlers);
  const durable = await AiSdkRun.open(client, tools, options);
  const scripted = new ScriptedModel((prompt) => child.turn(resultsIn(prompt)));
  const loop = { model: durable.model(scripted), tools: { ...durable.tools }, stopWhen: stepCountIs(10) };
  const messages = messagesOf(child);
  const isStreamed = (setting.way + setting.attempt) % 2 === 1;
  const { text, content, added } = isStreamed
    ? await streamed(loop, messages)
    : await generated(loop, messages);
  const [wait] = durable.waits({ content });
  if (wait !== undefined) {
    writeFileSync(savedFile(child), JSON.stringify([...messages, ...added]));
    return { end: "waiting", seq: wait.pendingAt };
  }
  await durable.agentRun.complete(text);
  return { end: "done", output: text };
});

interface Loop {
  readonly model: ReturnType<AiSdkRun["model"]>;
  readonly tools: AiSdkRun["tools"];
  readonly stopWhen: ReturnType<typeof stepCountIs>;
}

async function generated(loop: Loop, messages: ModelMessage[]) {
  const { text, content, response } = await generateText({ ...loop, messages });
  return { text, content, added: response.messages };
}

async function streamed(loop: Loop, messages: ModelMessage[]) {
  const result = await new ToolLoopAgent(loop).stream({ messages });
  for await (const part of result.fullStream) if (part.type === "error") throw part.error;
  return { text: await result.text, content: await result.content, added: (await result.response).messages };
}

function savedFile({ setting }: DeskChild): string {
  return join(setting.folder, "messages.json");
}

function messagesOf(child: DeskChild): ModelMessage[] {
  const file = savedFile(child);
  if (child.setting.way === 1 || !existsSync(file)) return [{ role: "user", content: PROMPT }];
  return approved(JSON.parse(readFileSync(file, "utf8")) as ModelMessage[]);
}
