import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { humanInTheLoopMiddleware, toolRetryMiddleware } from "langchain";
import { RunSetting } from "../../client/support/run-setting.js";
import { toolsFor } from "../../client/support/tools.js";
import type { Turn } from "../support/desk.js";
import { ASKED, agentOf, graphOf, openScene, scriptOf, type Scene } from "./scene.js";

const OUTPUT = { refund_id: "re_by_hand", amount_cents: 500 };
const nothingSaid = () => {
  throw new Error("the line went dead");
};

const own = RunSetting.use();
const open = (script: readonly Turn[]) => openScene(own.client, toolsFor(own.world), own.runId, script);
const config = () => ({ configurable: { thread_id: own.runId } });

describe("a model that would be told that a settled call went wrong", () => {
  it("is told what is recorded, in another process and the same request again", async () => {
    const script = scriptOf(["c1", "pay_out"]);
    const checkpointer = new MemorySaver();
    const before = [toolRetryMiddleware({ maxRetries: 0, onFailure: () => "it went wrong" })];
    own.world.next(nothingSaid);
    const first = await open(script);
    const state = await agentOf(first, { before, checkpointer }).invoke(ASKED, config());
    const [wait] = first.run.waits(state);
    assert.equal(wait?.seq, 3);
    // Nobody has said how it ended: the model is not asked in the next process either.
    const early = await open(script);
    const again = await agentOf(early, { before, checkpointer }).invoke(null, config());
    assert.deepEqual([early.run.waits(again).length, early.chat.told], [1, []]);
    await own.client.resolve(own.runId, { seq: 3, output: OUTPUT });
    const next = await open(script);
    const done = await agentOf(next, { before, checkpointer }).invoke(null, config());
    assert.deepEqual(next.run.waits(done), []);
    assert.deepEqual(next.chat.told, [[JSON.stringify(OUTPUT)]]);
    // A loop that is repeated from its start, and hears the output at once, asks the same.
    const repeated = await open(script);
    await agentOf(repeated).invoke(ASKED);
    assert.deepEqual(repeated.chat.told, []);
    assert.equal(own.world.attempts.length, 1);
  });

  it("is told so by the process in which it went wrong, too", async () => {
    const scene = await open(scriptOf(["c1", "pay_out"]));
    const before = [toolRetryMiddleware({ maxRetries: 0, onFailure: () => "it went wrong" })];
    const agent = agentOf(scene, { before, checkpointer: new MemorySaver() });
    own.world.next(nothingSaid);
    await agent.invoke(ASKED, config());
    await own.client.resolve(own.runId, { seq: 3, output: OUTPUT });
    await agent.invoke(new Command({ resume: true }), config());
    assert.deepEqual(scene.chat.told, [[], [JSON.stringify(OUTPUT)]]);
  });

  it("is told of a rejection only where nothing was performed", async () => {
    const scene = await open(scriptOf(["c1", "pay_out"], ["c2", "pay_out", "o-2"]));
    await graphOf(scene)
      .invoke(ASKED, { recursionLimit: 2 })
      .catch(() => undefined);
    assert.equal(own.world.attempts.length, 2);
    const next = await open(scriptOf(["c1", "pay_out"], ["c2", "pay_out", "o-2"]));
    const model = next.run.model(next.chat);
    const asked = [new HumanMessage("Order o-1 came broken."), await model.invoke(ASKED.messages)];
    const rejected = ["c1", "c2"].map(
      (id) => new ToolMessage({ content: "rejected", name: "pay_out", tool_call_id: id, status: "error" }),
    );
    await model.invoke([...asked, ...rejected]);
    assert.deepEqual(next.chat.told.at(-1), [
      '{"refund_id":"re_1","amount_cents":500}',
      '{"refund_id":"re_2","amount_cents":500}',
    ]);
  });
});

describe("two calls for the same, or made the same by a person", () => {
  // Its type knows the tools of no middleware.
  const INTERRUPT_ON = { interruptOn: { pay_out: true } };
  const edited = { name: "pay_out", args: { order_id: "o-2", amount_cents: 500 } };

  it("are both made once where a person edited one, and the other is made in another process", async () => {
    const script = scriptOf(["c1", "pay_out", "o-1"], ["c2", "pay_out", "o-2"]);
    const checkpointer = new MemorySaver();
    const before = [humanInTheLoopMiddleware(INTERRUPT_ON as never)];
    const first = agentOf(await open(script), { before, checkpointer });
    await first.invoke(ASKED, config());
    own.world.next((input) => ({ refund_id: "re_1", amount_cents: input.amount_cents }), nothingSaid);
    const decisions = [{ type: "edit", editedAction: edited }, { type: "approve" }];
    await first.invoke(new Command({ resume: { decisions } }), config());
    await own.client.resolve(own.runId, { seq: 5, output: OUTPUT });
    const next = await open(script);
    await agentOf(next, { before, checkpointer }).invoke(new Command({ resume: true }), config());
    assert.deepEqual(next.chat.told, [['{"refund_id":"re_1","amount_cents":500}', JSON.stringify(OUTPUT)]]);
    assert.deepEqual(
      own.world.attempts.map(({ input }) => input.order_id),
      ["o-2", "o-2"],
    );
  });

  /** A graph in which somebody has rejected the first call of the turn. */
  const rejecting = ({ run, chat }: Scene, checkpointer: MemorySaver) => {
    const model = run.model(chat);
    return new StateGraph(MessagesAnnotation)
      .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("person", () => ({
        messages: [
          new ToolMessage({ content: "rejected", name: "pay_out", tool_call_id: "c1", status: "error" }),
        ],
      }))
      .addNode("tools", new ToolNode([...run.tools], { handleToolErrors: false }))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", (state) => (toolsCondition(state as never) === "tools" ? "person" : END))
      .addEdge("person", "tools")
      .addEdge("tools", "agent")
      .compile({ checkpointer });
  };

  it("are one call where the first was rejected, in a graph of one's own", async () => {
    const script = scriptOf(["c1", "pay_out"], ["c2", "pay_out"]);
    const checkpointer = new MemorySaver();
    own.world.next(nothingSaid);
    const first = await open(script);
    const waits = first.run.waits(await rejecting(first, checkpointer).invoke(ASKED, config()));
    assert.equal(waits.length, 1);
    await own.client.resolve(own.runId, { seq: 3, output: OUTPUT });
    const next = await open(script);
    await rejecting(next, checkpointer).invoke(new Command({ resume: true }), config());
    assert.deepEqual(next.chat.told, [["rejected", JSON.stringify(OUTPUT)]]);
    assert.equal(own.world.attempts.length, 1);
  });
});

describe("a conversation that goes on behind an answer of words", () => {
  it("goes on in other processes, and asks for no answer again", async () => {
    const script = [{ text: "How can I help?", calls: [] }];
    const history: BaseMessage[] = [new HumanMessage("Hello.")];
    for (const words of ["Order o-1 came broken.", "Never mind.", "Bye."]) {
      const { run, chat } = await open(script);
      history.push(new AIMessage((await run.model(chat).invoke(history)).text), new HumanMessage(words));
    }
    const { run, chat } = await open(script);
    await run.model(chat).invoke(history.slice(0, 5));
    assert.deepEqual(chat.told, []);
  });
});
