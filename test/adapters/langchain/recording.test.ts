import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, modelFallbackMiddleware, toolStrategy } from "langchain";
import { z } from "zod";
import { DivergenceError, UndeliveredReportError } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { holds } from "#salvor/log/events.js";
import { caught } from "../../client/support/caught.js";
import { RunSetting } from "../../client/support/run-setting.js";
import { toolsFor } from "../../client/support/tools.js";
import type { Turn } from "../support/desk.js";
import { ASKED, agentOf, graphOf, openScene, scriptOf } from "./scene.js";
import { ScriptedChat } from "./scripted-chat.js";

const TWO = scriptOf(["c1", "pay_out"], ["c2", "find_order"]);

const own = RunSetting.use();
const open = (script: readonly Turn[] = TWO) => openScene(own.client, toolsFor(own.world), own.runId, script);
const config = () => ({ configurable: { thread_id: own.runId } });
const textsOf = (messages: readonly BaseMessage[]) =>
  messages.map(({ type, text, name }) => [type, name, text]);

for (const [kind, loopOf] of [
  ["an agent of LangChain", agentOf],
  ["a graph of LangGraph", graphOf],
] as const) {
  describe(`${kind} over a run`, () => {
    it("answers a repeated turn from the log: no model is asked, nothing is performed, and the messages are the same", async () => {
      const first = await loopOf(await open()).invoke(ASKED);
      const log = await own.client.log(own.runId);
      const again = await open();
      const second = await loopOf(again).invoke(ASKED);
      assert.deepEqual(again.chat.told, []);
      assert.equal(own.world.attempts.length, 2);
      assert.deepEqual(await own.client.log(own.runId), log);
      assert.deepEqual(textsOf(second.messages), textsOf(first.messages));
      const answers = (messages: readonly BaseMessage[]) =>
        messages.filter(({ type }) => type === "ai").map((message) => ({ ...message.toDict().data, lc: 0 }));
      assert.deepEqual(answers(second.messages), answers(first.messages));
    });

    it("answers a repeated turn whose messages have ids of their own", async () => {
      const asked = (id: string) => ({
        messages: [new HumanMessage({ id, content: "Order o-1 came broken." })],
      });
      await loopOf(await open()).invoke(asked("one"));
      const again = await open();
      await loopOf(again).invoke(asked("another"));
      assert.deepEqual(again.chat.told, []);
    });

    it("tells the model that a tool failed, and what came of the others", async () => {
      own.world.next(() => {
        throw new HandlerError("the card is closed");
      });
      const scene = await open();
      await loopOf(scene).invoke(ASKED);
      const [, told = []] = scene.chat.told;
      assert.match(told[0] ?? "", /pay_out \(call 3\) failed \(handler\): .*the card is closed/);
      assert.equal(told[1], '{"refund_id":"re_2","amount_cents":500}');
      const again = await open();
      const { messages } = await loopOf(again).invoke(ASKED);
      assert.deepEqual(again.chat.told, [], "what it was told then is what it is told now");
      const [failed] = messages.filter((message) => ToolMessage.isInstance(message));
      assert.equal(failed?.status, "error");
    });

    it("tells the model that an input is not acceptable, and performs nothing", async () => {
      const script: readonly Turn[] = [
        { text: "", calls: [{ id: "c1", tool: "pay_out", input: { order_id: "o-1" } }] },
        { text: "So not.", calls: [] },
      ];
      const scene = await open(script);
      await loopOf(scene).invoke(ASKED);
      assert.match(scene.chat.told[1]?.[0] ?? "", /input_schema/);
      assert.equal(own.world.attempts.length, 0);
    });

    it("stops with an error that the model can do nothing about, and goes on from the checkpoint", async () => {
      const checkpointer = new MemorySaver();
      const scene = await open();
      const graph = loopOf(scene, { checkpointer });
      own.world.next(async () => {
        // Somebody else takes the run over while the tool runs.
        await open();
        return { refund_id: "re_1", amount_cents: 500 };
      });
      const error = await caught(graph.invoke(ASKED, config()), Error);
      const [known] = [error, error.cause].filter((each) => each instanceof UndeliveredReportError);
      assert.equal(known?.seq, 3, String(error));
      assert.deepEqual(scene.chat.told, [[]]);

      const next = await open();
      const again = loopOf(next, { checkpointer });
      const [wait] = next.run.waits(await again.invoke(null, config()));
      assert.equal(wait?.seq, 3);
      await own.client.resolve(own.runId, { seq: 3, output: known.output ?? null });
      await again.invoke(new Command({ resume: true }), config());
      assert.deepEqual(
        own.world.attempts.map(({ tool }) => tool),
        ["pay_out", "find_order"],
      );
      assert.equal(next.chat.told[0]?.[0], JSON.stringify(known.output));
    });

    it("says where the program and the log part", async () => {
      await loopOf(await open()).invoke(ASKED);
      const other = await open();
      const error = await caught(
        loopOf(other).invoke({ messages: [{ role: "user", content: "Something else." }] }),
        Error,
      );
      assert.ok(
        [error, error.cause].some((each) => each instanceof DivergenceError),
        String(error),
      );
      assert.deepEqual(other.chat.told, []);
    });

    it("plays a recorded answer to whoever streams", async () => {
      const script: readonly Turn[] = [
        ...scriptOf(["c1", "find_order"]).slice(0, 1),
        { text: "It was paid in May.", calls: [] },
      ];
      const streamed = async () => {
        const scene = await open(script);
        const words: string[] = [];
        for await (const [message] of await loopOf(scene).stream(ASKED, { streamMode: "messages" })) {
          if (message.type === "ai" && message.text !== "") words.push(message.text);
        }
        return { words, asked: scene.chat.told.length };
      };
      assert.deepEqual(await streamed(), { words: ["It ", "was ", "paid ", "in ", "May."], asked: 2 });
      assert.deepEqual(await streamed(), { words: ["It was paid in May."], asked: 0 });
    });
  });
}

describe("a graph whose node makes answers of all errors", () => {
  it("does not tell the model of one that stops the loop", async () => {
    const scene = await open();
    own.world.next(async () => {
      await open();
      return { refund_id: "re_1", amount_cents: 500 };
    });
    const graph = graphOf(scene, { handleToolErrors: true });
    await assert.rejects(graph.invoke(ASKED), /drive token|drives/);
    assert.deepEqual(scene.chat.told, [[]]);
  });
});

describe("the middleware", () => {
  it("records the intent before the tool's code runs", async () => {
    const seen: string[] = [];
    own.world.next(async () => {
      seen.push(...(await own.client.log(own.runId)).map(({ event }) => event.kind));
      return { refund_id: "re_1", amount_cents: 500 };
    });
    await agentOf(await open()).invoke(ASKED);
    assert.equal(seen.at(-1), "ToolCallRequested");
  });

  it("leaves tools that are not the run's to LangChain, and their calls out of the log", async () => {
    const script: readonly Turn[] = [
      { text: "", calls: [{ id: "w", tool: "weather", input: {} }, ...(TWO[0]?.calls ?? [])] },
      { text: "Fine.", calls: [] },
    ];
    const weather = tool(() => "rain", {
      name: "weather",
      description: "The weather.",
      schema: z.object({}),
    });
    const { run, chat } = await openScene(own.client, toolsFor(own.world), own.runId, []);
    const scripted = new ScriptedChat((results) => script[results === 0 ? 0 : 1]!);
    const agent = createAgent({
      model: scripted,
      tools: [weather],
      middleware: [run.middleware],
    });
    await agent.invoke(ASKED);
    assert.deepEqual(chat.told, []);
    assert.equal(scripted.told[1]?.[0], "rain");
    const called = (await own.client.log(own.runId)).flatMap(({ event }) =>
      event.kind === "ToolCallRequested" ? [event.payload.tool] : [],
    );
    assert.deepEqual(called, ["pay_out", "find_order"]);
  });

  it("records one call with what stands behind it: another model that is fallen back on", async () => {
    const scene = await open();
    const dead = new ScriptedChat(() => {
      throw new Error("overloaded");
    });
    const agent = createAgent({
      model: dead,
      middleware: [scene.run.middleware, modelFallbackMiddleware(scene.chat)],
    });
    await agent.invoke(ASKED);
    const asked = (await own.client.log(own.runId)).filter((envelope) =>
      holds(envelope, "ModelCallRequested"),
    );
    assert.equal(asked.length, 2);
    const again = await open();
    await createAgent({
      model: dead,
      middleware: [again.run.middleware, modelFallbackMiddleware(again.chat)],
    }).invoke(ASKED);
    assert.deepEqual([dead.told.length, again.chat.told.length], [2, 0]);
  });

  it("has a structured answer read out of what is recorded", async () => {
    const format = toolStrategy(z.object({ refunded: z.boolean() }));
    const name = format[0]?.name ?? "";
    const script: readonly Turn[] = [
      ...TWO.slice(0, 1),
      { text: "", calls: [{ id: "s", tool: name, input: { refunded: true as never } }] },
    ];
    const answer = async (behind: Parameters<typeof agentOf>[1] = {}) => {
      const { run, chat } = await open(script);
      const agent = createAgent({
        model: chat,
        responseFormat: format,
        middleware: [run.middleware, ...(behind.behind ?? [])],
      });
      const { structuredResponse } = await agent.invoke(ASKED);
      return { structuredResponse, asked: chat.told.length };
    };
    assert.deepEqual(await answer(), { structuredResponse: { refunded: true }, asked: 2 });
    assert.deepEqual(await answer(), { structuredResponse: { refunded: true }, asked: 0 });
    const choosing = createMiddleware({
      name: "Choosing",
      wrapModelCall: (request, handler) => handler({ ...request, model: new ScriptedChat(() => script[0]!) }),
    });
    await assert.rejects(answer({ behind: [choosing] }), /one that chooses the model stands before it/);
  });

  it("keeps a request's words out of the log, and its models' secrets out of its hash", async () => {
    const scene = await open();
    Object.assign(scene.chat, { apiKey: "one" });
    await agentOf(scene).invoke(ASKED);
    const again = await open();
    Object.assign(again.chat, { apiKey: "another" });
    await agentOf(again).invoke(ASKED);
    assert.deepEqual(again.chat.told, []);
    const requests = (await own.client.log(own.runId)).filter((envelope) =>
      holds(envelope, "ModelCallRequested"),
    );
    assert.ok(requests.every(({ event }) => !("request_body" in event.payload)));
  });
});

describe("a tool of a run", () => {
  it("is invoked with a model's tool call and nothing else", async () => {
    const [first] = (await open()).run.tools;
    await assert.rejects(first!.invoke({ order_id: "o-1" }), /is invoked with a model's tool call/);
  });
});
