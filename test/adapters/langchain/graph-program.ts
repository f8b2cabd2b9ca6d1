import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { LangChainRun } from "#salvor/adapters/langchain/index.js";
import { declaredTools } from "#salvor/index.js";
import { PROMPT } from "../support/desk.js";
import { DeskChild } from "../support/desk-child.js";
import { FileSaver } from "../../../examples/refund-flow/dist/file-saver.js";
import { ScriptedChat } from "./scripted-chat.js";

/** The desk's script in a graph written by hand: from the last checkpoint, or each time from its first line. */
await DeskChild.run(async (child) => {
  const { folder, runId, way } = child.setting;
  const declared = declaredTools(await child.client.clientTools(), child.handlers);
  const run = await LangChainRun.open(child.client, declared, child.options);
  const model = run.model(new ScriptedChat((results) => child.turn(results)));
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([...run.tools], { handleToolErrors: false }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile(way === 0 ? { checkpointer: new FileSaver(join(folder, "checkpoints.json")) } : {});
  const config = { configurable: { thread_id: runId } };
  const { values } = way === 0 ? await graph.getState(config) : { values: {} };
  const goesOn = "messages" in (values as object);
  const state = await graph.invoke(goesOn ? null : { messages: [new HumanMessage(PROMPT)] }, config);
  const [wait] = run.waits(state);
  if (wait !== undefined) return { end: "waiting", seq: wait.pendingAt };
  const output = { text: state.messages.at(-1)?.text ?? "" };
  await run.agentRun.complete(output);
  return { end: "done", output };
});
