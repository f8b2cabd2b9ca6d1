import { END, MessagesAnnotation, START, StateGraph, type BaseCheckpointSaver } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createAgent, type AgentMiddleware } from "langchain";
import { LangChainRun } from "#salvor/adapters/langchain/index.js";
import type { RunTools, SalvorClient } from "#salvor/client/index.js";
import { scriptedTurn, type Turn } from "../support/desk.js";
import { ScriptedChat } from "./scripted-chat.js";

/** One process's part of a run: its run, its model and its loop. */
export interface Scene {
  readonly run: LangChainRun;
  readonly chat: ScriptedChat;
}

/** Opens a run as a fresh process does. */
export async function openScene(
  client: SalvorClient,
  tools: RunTools,
  runId: string,
  script: readonly Turn[],
): Promise<Scene> {
  const run = await LangChainRun.open(client, tools, { runId, agentDefHash: "agent-1", input: null });
  return { run, chat: new ScriptedChat((results) => scriptedTurn(results, script)) };
}

export interface Around {
  readonly checkpointer?: BaseCheckpointSaver | undefined;
  readonly before?: readonly AgentMiddleware[];
  readonly behind?: readonly AgentMiddleware[];
}

/** An agent of `createAgent`: each call of a turn is a task of its own. */
export function agentOf({ run, chat }: Scene, { checkpointer, before = [], behind = [] }: Around = {}) {
  return createAgent({
    model: chat,
    systemPrompt: "You refund what came broken.",
    middleware: [...before, run.middleware, ...behind],
    ...(checkpointer && { checkpointer }),
  }).graph;
}

/** A graph by hand: one node performs all calls of a turn. */
export function graphOf(
  { run, chat }: Scene,
  { checkpointer, handleToolErrors = false }: Around & { readonly handleToolErrors?: boolean } = {},
) {
  const model = run.model(chat);
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([...run.tools], { handleToolErrors }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile(checkpointer && { checkpointer });
}

/** What a run's program starts with. */
export const ASKED = { messages: [{ role: "user", content: "Order o-1 came broken." }] };

/** A script of one turn of calls and last words. */
export function scriptOf(
  ...calls: readonly (readonly [id: string, tool: string, order?: string])[]
): readonly Turn[] {
  return [
    {
      text: "",
      calls: calls.map(([id, tool, order_id = "o-1"]) => ({
        id,
        tool,
        input: { order_id, amount_cents: 500 },
      })),
    },
    { text: "That is done.", calls: [] },
  ];
}
