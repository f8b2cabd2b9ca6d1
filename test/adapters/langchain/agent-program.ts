import { join } from "node:path";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { LangChainRun } from "#salvor/adapters/langchain/index.js";
import { declaredTools } from "#salvor/index.js";
import { PROMPT } from "../support/desk.js";
import { DeskChild } from "../support/desk-child.js";
import { FileSaver } from "../../../examples/refund-flow/dist/file-saver.js";
import { ScriptedChat } from "./scripted-chat.js";

/** The desk's script in an agent of `createAgent`: each time from its first line, or from the last checkpoint. */
await DeskChild.run(async (child) => {
  const { folder, runId, way } = child.setting;
  const tools = declaredTools(await child.client.clientTools(), child.handlers);
  const run = await LangChainRun.open(child.client, tools, child.options);
  const agent = createAgent({
    model: new ScriptedChat((results) => child.turn(results)),
    systemPrompt: "You refund what came broken.",
    middleware: [run.middleware],
    ...(way === 1 && { checkpointer: new FileSaver(join(folder, "checkpoints.json")) }),
  });
  const config = { configurable: { thread_id: runId } };
  const { values } = way === 1 ? await agent.graph.getState(config) : { values: {} };
  const goesOn = "messages" in (values as object);
  const state = await agent.invoke(goesOn ? null! : { messages: [new HumanMessage(PROMPT)] }, config);
  const [wait] = run.waits(state);
  if (wait !== undefined) return { end: "waiting", seq: wait.pendingAt };
  const messages = state.messages as readonly BaseMessage[];
  const output = { text: messages.at(-1)?.text ?? "" };
  await run.agentRun.complete(output);
  return { end: "done", output };
});
