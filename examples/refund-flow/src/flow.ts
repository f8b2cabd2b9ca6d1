import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { declaredTools, suspend, type ToolCtx } from "salvor";
import type { SalvorClient } from "salvor/client";
import { LangChainRun } from "salvor/langchain";
import type { Bank } from "./bank.js";

interface Payment {
  readonly order_id: string;
  readonly amount_cents: number;
}

const APPROVAL = { type: "object", required: ["approved"], properties: { approved: { type: "boolean" } } };

export interface FlowParts {
  readonly client: SalvorClient;
  readonly runId: string;
  readonly bank: Bank;
  readonly model: BaseChatModel;
  readonly checkpointer: BaseCheckpointSaver;
  /** Is told of each refund that was paid, before anybody else hears of it. */
  readonly onPaid: () => void;
}

/** The refund flow, as every process that works at it opens it: a run of Salvor, and a graph of LangGraph over it. */
export async function openFlow({ client, runId, bank, model, checkpointer, onPaid }: FlowParts) {
  const declared = declaredTools(await client.clientTools(), {
    look_up_order: (_ctx: ToolCtx, { order_id }: { readonly order_id: string }) => ({
      order_id,
      paid_cents: 25_000,
    }),
    ask_manager: (_ctx: ToolCtx, { order_id, amount_cents }: Payment) =>
      suspend(`Refund ${amount_cents} cents for order ${order_id}?`, APPROVAL),
    refund_card: ({ idempotencyKey: key = "" }: ToolCtx, { order_id, amount_cents }: Payment) => {
      const { refund_id } = bank.refund({ key, order_id, amount_cents });
      onPaid();
      return { refund_id, amount_cents };
    },
  });
  const run = await LangChainRun.open(client, declared, {
    runId,
    agentDefHash: "refund-flow@1",
    input: { order: "A-17" },
  });
  const asked = run.model(model);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await asked.invoke(messages)] }))
    // An error that a model can do nothing about ends the graph: the tools themselves tell the model of the others.
    .addNode("tools", new ToolNode([...run.tools], { handleToolErrors: false }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition, ["tools", END])
    .addEdge("tools", "agent")
    .compile({ checkpointer });
  return { run, graph };
}
