import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AgentInputItem } from "@openai/agents";
import { DivergenceError } from "#salvor/client/index.js";
import type { Turn } from "../support/desk.js";
import { call } from "../support/world-desk.js";
import { AgentDesk } from "./support/agent-desk.js";

const said = (text: string): readonly Turn[] => [{ text, calls: [] }];
const paying = (id: string, order: number, text: string): readonly Turn[] => [
  { text: "", calls: [call(id, "pay_out", order)] },
  { text, calls: [] },
];
const user = (content: string): AgentInputItem => ({ role: "user", content });

describe("a conversation that goes on in other processes", () => {
  let desk: AgentDesk;
  before(async () => {
    desk = await AgentDesk.start();
  });
  after(() => desk.server.remove());
  beforeEach(() => {
    desk.reset();
  });

  /** Asks once more, in a process that has just started. */
  const ask = async (
    script: readonly Turn[],
    input: AgentInputItem[] | string,
    previousResponseId?: string,
  ) => {
    const { runner, agent, model } = await desk.process(script);
    const result = await runner.run(
      agent,
      input,
      previousResponseId === undefined ? {} : { previousResponseId },
    );
    return { result, asked: model.requests.length };
  };

  it("goes on behind answers of words, also behind the second of the same words", async () => {
    const { result: first } = await ask(said("Hello."), "Hi.");
    const second = [...first.history, user("Pay.")];
    const { result: paid } = await ask(paying("c1", 1, "Hello."), second);
    // A process that died before it kept that.
    const again = await ask([], second);
    assert.deepEqual([again.result.finalOutput, again.asked], ["Hello.", 0]);
    const third = [...paid.history, user("And another.")];
    // What scripts the model counts results: there is one already.
    const rest = [...paying("c1", 1, "x").slice(0, 1), ...paying("c2", 2, "Bye.")];
    assert.equal((await ask(rest, third)).result.finalOutput, "Bye.");
    for (const input of ["Hi.", second, third]) assert.equal((await ask([], input)).asked, 0);
    assert.equal(desk.world.attempts.length, 2);
    const kinds = await desk.kinds();
    assert.equal(kinds.filter((kind) => kind === "ModelCallCompleted").length, 5);
  });

  it("goes on behind an answer that the provider keeps", async () => {
    const { result: first } = await ask(said("Hello."), "Hi.");
    const { result: second } = await ask(said("Well."), "How are you?", first.lastResponseId);
    assert.equal(second.finalOutput, "Well.");
    const again = await ask([], "How are you?", first.lastResponseId);
    assert.deepEqual([again.result.finalOutput, again.asked], ["Well.", 0]);
  });

  it("is refused where it went on otherwise already", async () => {
    const { result: first } = await ask(said("Hello."), "Hi.");
    await ask(said("Well."), [...first.history, user("How are you?")]);
    await assert.rejects(ask(said("Never."), [...first.history, user("Pay.")]), DivergenceError);
  });

  it("is refused where its request does not show what went before", async () => {
    const conversationId = "conv_1";
    const first = await desk.process(said("Hello."));
    await first.runner.run(first.agent, "Hi.", { conversationId });
    const second = await desk.process(said("Well."));
    await assert.rejects(second.runner.run(second.agent, "Pay.", { conversationId }), DivergenceError);
    assert.deepEqual(second.model.requests, []);
  });

  it("goes on behind an answer that asked for tools that are not the run's", async () => {
    const script: readonly Turn[] = [
      { text: "", calls: [{ id: "c1", tool: "draw", input: {} }] },
      ...said("Nice."),
    ];
    const { durable, model } = await desk.process(script);
    const recorded = durable.model(model, "scripted");
    const settings = {
      modelSettings: {},
      tools: [],
      outputType: "text" as const,
      handoffs: [],
      tracing: false,
    };
    const { output } = await recorded.getResponse({ ...settings, input: [user("Draw.")] });
    const drawn = {
      type: "function_call_result",
      callId: "c1",
      name: "draw",
      status: "completed",
      output: "o",
    } as const;
    const input = [user("Draw."), ...output, drawn] as AgentInputItem[];
    const next = await desk.process(script);
    await next.durable.model(next.model, "scripted").getResponse({ ...settings, input });
    assert.equal(next.model.requests.length, 1);
  });
});
