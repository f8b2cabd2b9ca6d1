import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { ModelRequest, StreamEvent } from "@openai/agents";
import { DivergenceError } from "#salvor/client/index.js";
import { later } from "../../support/scripted-model.js";
import type { Turn } from "../support/desk.js";
import { call, withoutKeys } from "../support/world-desk.js";
import { AgentDesk } from "./support/agent-desk.js";

const SCRIPT: readonly Turn[] = [
  { text: "I pay it out now.", calls: [call("c1", "pay_out")] },
  { text: "It is paid.", calls: [] },
];

describe("a model of OpenAIAgentsRun", () => {
  let desk: AgentDesk;
  before(async () => {
    desk = await AgentDesk.start();
  });
  after(() => desk.server.remove());
  beforeEach(() => {
    desk.reset();
  });

  async function stream(script: readonly Turn[]) {
    const started = await desk.process(script);
    const result = await started.runner.run(started.agent, "Pay.", { stream: true });
    const events: StreamEvent[] = [];
    for await (const event of result) if (event.type === "raw_model_stream_event") events.push(event.data);
    await result.completed;
    const deltas = events.flatMap((event) => (event.type === "output_text_delta" ? [event.delta] : []));
    return { ...started, result, events, deltas };
  }

  it("streams, and replays what is recorded as a stream", async () => {
    const live = await stream(SCRIPT);
    assert.equal(live.result.finalOutput, "It is paid.");
    assert.ok(live.deltas.length > 2);
    const replayed = await stream([]);
    assert.equal(replayed.result.finalOutput, "It is paid.");
    assert.deepEqual(replayed.deltas, ["I pay it out now.", "It is paid."]);
    assert.deepEqual(replayed.result.output, live.result.output);
    assert.deepEqual(
      replayed.events.map(({ type }) => type),
      [...Array(2)].flatMap(() => ["response_started", "output_text_delta", "response_done"]),
    );
    assert.equal(desk.world.attempts.length, 1);
  });

  it("records a streamed answer as one that came whole: either way replays the other's", async () => {
    await stream(SCRIPT);
    const streamed = await desk.events();
    const again = await desk.process([]);
    assert.equal((await again.runner.run(again.agent, "Pay.")).finalOutput, "It is paid.");
    desk.reset();
    const whole = await desk.process(SCRIPT);
    await whole.runner.run(whole.agent, "Pay.");
    assert.deepEqual(withoutKeys(await desk.events()), withoutKeys(streamed));
  });

  it("hands pieces on as they come, and the end when it is recorded", async () => {
    const { durable, model } = await desk.process([]);
    const [gate, heard] = [later<undefined>(), later<undefined>()];
    model.getStreamedResponse = async function* (): AsyncIterable<StreamEvent> {
      yield { type: "output_text_delta", delta: "Hel" };
      await gate.promise;
      const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      yield { type: "response_done", response: { id: "r", usage, output: [] } };
    };
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type } of durable.model(model).getStreamedResponse(request("Hi"))) {
        seen.push(type);
        if (type === "output_text_delta") heard.resolve(undefined);
        else assert.ok((await desk.kinds()).includes("ModelCallCompleted"));
      }
    })();
    await heard.promise;
    assert.deepEqual(seen, ["output_text_delta"]);
    gate.resolve(undefined);
    await reading;
    assert.deepEqual(seen, ["output_text_delta", "response_done"]);
  });

  it("does not record an answer that broke off, and asks for it again", async () => {
    const { durable, model } = await desk.process([{ text: "Hello.", calls: [] }]);
    const whole = model.getStreamedResponse.bind(model);
    const [piece] = await read(whole(request("Hi"))).then((all) => all.slice(1));
    model.requests.length = 0;
    model.getStreamedResponse = async function* (): AsyncIterable<StreamEvent> {
      yield await Promise.resolve(piece ?? assert.fail("there is no piece"));
    };
    const recorded = durable.model(model);
    await assert.rejects(read(recorded.getStreamedResponse(request("Hi"))), /ended without a response/);
    assert.ok(!(await desk.kinds()).includes("ModelCallCompleted"));
    model.getStreamedResponse = whole;
    const events = await read(recorded.getStreamedResponse(request("Hi")));
    assert.equal(events.at(-1)?.type, "response_done");
    assert.equal(model.requests.length, 1);
  });

  it("throws on what the model throws, and asks it again", async () => {
    const { durable, model } = await desk.process([{ text: "Hello.", calls: [] }]);
    const whole = model.getResponse.bind(model);
    model.getResponse = () => Promise.reject(new Error("429"));
    const recorded = durable.model(model);
    await assert.rejects(recorded.getResponse(request("Hi")), /^Error: 429$/);
    model.getResponse = whole;
    assert.equal((await recorded.getResponse(request("Hi"))).responseId, "resp_0");
  });

  it("takes another model's name for another request", async () => {
    const { durable, model } = await desk.process([{ text: "Hello.", calls: [] }]);
    const asked: (string | undefined)[] = [];
    const provider = durable.provider({
      getModel: (name) => {
        asked.push(name);
        return model;
      },
    });
    await (await provider.getModel("small")).getResponse(request("Hi"));
    await (await provider.getModel("small")).getResponse(request("Hi"));
    assert.equal(model.requests.length, 1);
    await (await provider.getModel("large")).getResponse(request("Hi"));
    assert.equal(model.requests.length, 2);
    assert.deepEqual(asked, ["small", "small", "large"]);
  });

  it("refuses another request where one is recorded", async () => {
    const first = await desk.process([{ text: "Hello.", calls: [] }]);
    await first.durable.model(first.model).getResponse(request("Hi"));
    const { durable, model } = await desk.process([{ text: "Hello.", calls: [] }]);
    await assert.rejects(durable.model(model).getResponse(request("Hello")), DivergenceError);
    assert.deepEqual(model.requests, []);
  });

  it("asks the model itself whether to try again", async () => {
    const { durable, model } = await desk.process([]);
    const args = { request: request("Hi"), error: new Error("429"), stream: false, attempt: 1 };
    assert.equal(durable.model(model).getRetryAdvice?.(args), undefined);
    const advising = Object.assign(model, { getRetryAdvice: () => ({ suggested: true }) });
    assert.deepEqual(durable.model(advising).getRetryAdvice?.(args), { suggested: true });
  });
});

function request(input: string): ModelRequest {
  return { input, modelSettings: {}, tools: [], outputType: "text", handoffs: [], tracing: false };
}

async function read(events: AsyncIterable<StreamEvent>): Promise<readonly StreamEvent[]> {
  const read: StreamEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}
