import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { APIError } from "@anthropic-ai/sdk";
import { LoopStoppedError } from "#salvor/adapters/anthropic/index.js";
import { DivergenceError, TransportError } from "#salvor/client/index.js";
import { caught } from "../../client/support/caught.js";
import { later } from "../../support/scripted-model.js";
import type { Turn } from "../support/desk.js";
import { breaks, call, withoutKeys } from "../support/world-desk.js";
import { MessagesDesk, textOf } from "./support/messages-desk.js";
import { eventsOf, messageOf, sendEvents, sendJson } from "./support/scripted-messages.js";

const SCRIPT: readonly Turn[] = [
  { text: "I pay it out now.", calls: [call("c1", "pay_out")] },
  { text: "It is paid.", calls: [] },
];
const HELLO: Turn = { text: "Hello to you.", calls: [] };

function refuse(status: number, type: string, details?: object) {
  return (response: ServerResponse) => {
    response.setHeader("retry-after-ms", "1");
    sendJson(response, status, {
      type: "error",
      error: { type, message: "no", ...(details && { details }) },
    });
  };
}

describe("the client of AnthropicRun", () => {
  let desk: MessagesDesk;
  before(async () => {
    desk = await MessagesDesk.start();
  });
  after(() => desk.server.remove());
  beforeEach(() => {
    desk.reset();
  });
  afterEach(() => desk.stopModels());

  const hello = {
    model: "claude-scripted",
    max_tokens: 10,
    messages: [{ role: "user" as const, content: "Hi" }],
  };

  it("streams, and replays what is recorded as a stream", async () => {
    const stream = async (script: readonly Turn[]) => {
      const { messages, params, model } = await desk.process(script);
      const deltas: string[] = [];
      const runner = messages.toolRunner({ ...params, stream: true });
      for await (const answer of runner) answer.on("text", (delta) => deltas.push(delta));
      return { message: await runner.done(), deltas, asked: model.asked.length };
    };
    const live = await stream(SCRIPT);
    assert.ok(live.deltas.length > 2);
    const replayed = await stream([]);
    assert.deepEqual(replayed.deltas, ["I pay it out now.", "It is paid."]);
    assert.deepEqual(replayed.message, live.message);
    assert.deepEqual([live.asked, replayed.asked], [2, 0]);
    assert.equal(desk.world.attempts.length, 1);
  });

  it("records a streamed answer as one that came whole: either way replays the other's", async () => {
    const first = await desk.process(SCRIPT);
    await first.messages.toolRunner({ ...first.params, stream: true });
    const streamed = await desk.events();
    const again = await desk.process([]);
    assert.equal(textOf(await again.messages.toolRunner(again.params)), "It is paid.");
    desk.reset();
    const whole = await desk.process(SCRIPT);
    await whole.messages.toolRunner(whole.params);
    assert.deepEqual(withoutKeys(await desk.events()), withoutKeys(streamed));
    const back = await desk.process([]);
    const message = await back.messages.toolRunner({ ...back.params, stream: true });
    assert.equal(textOf(message), "It is paid.");
  });

  it("replays every kind of block as it was answered", async () => {
    const { messages, model } = await desk.process([]);
    const content = [
      { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      { type: "redacted_thinking", data: "x" },
      { type: "text", text: "It says so.", citations: [{ type: "char_location", cited_text: "so" }] },
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "so" } },
      { type: "tool_use", id: "c1", name: "lookup", input: { deep: [1, { a: "ü" }] } },
    ];
    const whole = { ...messageOf(HELLO, 0), content, container: null, stop_reason: "max_tokens" };
    model.next((response) => {
      sendJson(response, 200, whole);
    });
    const live = await messages.create(hello);
    const replayed = messages.stream(hello);
    let text = "";
    for await (const event of replayed) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
    }
    const message = { ...(await replayed.finalMessage()), parsed_output: undefined };
    assert.deepEqual(JSON.parse(JSON.stringify(message)), JSON.parse(JSON.stringify(live)));
    assert.equal(text, "It says so.");
    assert.equal(model.asked.length, 1);
  });

  it("hands pieces on as they come, and the end when it is recorded", async () => {
    const { messages, model } = await desk.process([]);
    const gate = later<undefined>();
    const events = eventsOf(messageOf(HELLO, 0));
    model.next((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.write(frames.slice(0, 5).join(""));
      void gate.promise.then(() => response.end(frames.slice(5).join("")));
    });
    const seen: string[] = [];
    for await (const { type } of messages.stream(hello)) {
      seen.push(type);
      if (type === "message_stop") assert.ok((await desk.kinds()).includes("ModelCallCompleted"));
      else if (type === "content_block_delta") gate.resolve(undefined);
    }
    assert.equal(seen.at(-1), "message_stop");
    assert.deepEqual(
      seen,
      events.map(({ type }) => type).filter((type) => type !== "ping"),
    );
  });

  it("does not record a stream that broke off, and asks for it again", async () => {
    const { messages, model } = await desk.process([HELLO]);
    model.next((response) => {
      sendEvents(response, eventsOf(messageOf(HELLO, 0)).slice(0, 5));
    });
    await assert.rejects(messages.stream(hello).finalMessage(), /ended before its message did/);
    model.next((response) => {
      const error = { type: "error", error: { type: "overloaded_error", message: "later" } };
      sendEvents(response, [...eventsOf(messageOf(HELLO, 0)).slice(0, 5), error]);
    });
    await assert.rejects(messages.stream(hello).finalMessage(), APIError);
    assert.ok(!(await desk.kinds()).includes("ModelCallCompleted"));
    assert.equal(textOf(await messages.stream(hello).finalMessage()), "Hello to you.");
    assert.equal(model.asked.length, 3);
  });

  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "whole";
    it(`leaves refusals to the SDK, which sends the request again (${how})`, async () => {
      const { messages, model } = await desk.process([HELLO]);
      model.next(refuse(529, "overloaded_error"), refuse(429, "rate_limit_error"));
      const message = stream ? await messages.stream(hello).finalMessage() : await messages.create(hello);
      assert.equal(textOf(message), "Hello to you.");
      assert.equal(model.asked.length, 3);
      const kinds = await desk.kinds();
      assert.deepEqual(kinds, ["RunStarted", "ModelCallRequested", "ModelCallCompleted"]);
    });

    it(`does not record a refusal that is the caller's to mend (${how})`, async () => {
      const { messages, model } = await desk.process([HELLO]);
      model.next(refuse(401, "authentication_error"));
      const asking = stream ? messages.stream(hello).finalMessage() : messages.create(hello);
      await assert.rejects(asking, (error) => error instanceof APIError && error.status === 401);
      assert.equal(textOf(await messages.create(hello)), "Hello to you.");
    });

    it(`records that a thread is lost, so that a repeated loop goes on as this one did (${how})`, async () => {
      const first = await desk.process(SCRIPT);
      const lost = refuse(404, "not_found_error", { error_code: "thread_not_found" });
      desk.world.next(({ amount_cents }) => {
        first.model.next(lost);
        return { refund_id: "re_1", amount_cents };
      });
      const live = await first.messages.toolRunner({ ...first.params, stream });
      assert.equal(textOf(live), "It is paid.");
      assert.deepEqual(
        first.model.asked.map(({ thread }) => thread?.type),
        ["create", "continue", "create"],
      );
      const again = await desk.process([]);
      assert.deepEqual(await again.messages.toolRunner({ ...again.params, stream }), live);
      assert.deepEqual(again.model.asked, []);
    });
  }

  it("lets requests for anything else through", async () => {
    const { messages, model } = await desk.process([]);
    model.next((response) => {
      sendJson(response, 200, { input_tokens: 7 });
    });
    const { model: name, messages: asked } = hello;
    assert.equal((await messages.countTokens({ model: name, messages: asked })).input_tokens, 7);
    assert.deepEqual(await desk.kinds(), ["RunStarted"]);
  });

  it("records requests of the API that is no longer a beta too", async () => {
    const { durable, model } = await desk.process([HELLO]);
    for (let times = 0; times < 2; times += 1) {
      const { content } = await durable.anthropic.messages.create(hello);
      assert.equal(content.length, 1);
    }
    assert.equal(model.asked.length, 1);
  });

  it("gives a request up that was refused when another takes its place", async () => {
    const { messages, model } = await desk.process([HELLO]);
    model.next(refuse(400, "invalid_request_error"));
    await assert.rejects(messages.create(hello), APIError);
    assert.equal(textOf(await messages.create({ ...hello, max_tokens: 20 })), "Hello to you.");
    assert.equal(model.asked.length, 2);
  });

  it("stops at another request where one is recorded", async () => {
    const first = await desk.process([HELLO]);
    await first.messages.create(hello);
    const { messages, model } = await desk.process([HELLO]);
    const other = { ...hello, max_tokens: 20 };
    for (const ask of [() => messages.create(other), () => messages.stream(other).finalMessage()]) {
      const { stoppedBy } = await caught<LoopStoppedError>(ask(), LoopStoppedError);
      assert.ok(stoppedBy instanceof DivergenceError);
    }
    assert.deepEqual(model.asked, []);
  });

  it("stops where the server of the run cannot be reached, and does not send the request again", async () => {
    const { messages, model } = await desk.process([HELLO]);
    const { port } = desk.server;
    await desk.server.stop();
    const { stoppedBy, wait } = await caught(messages.create(hello), LoopStoppedError);
    assert.ok(stoppedBy instanceof TransportError);
    assert.equal(wait, undefined);
    assert.deepEqual(model.asked, []);
    await desk.server.resume(undefined, port);
    assert.equal(textOf(await messages.create(hello)), "Hello to you.");
  });

  it("stops where a call waits for a person, whatever is asked", async () => {
    const { messages, params, model } = await desk.process(SCRIPT);
    desk.world.next(breaks);
    await caught(messages.toolRunner(params).runUntilDone(), LoopStoppedError);
    const { wait } = await caught(messages.create(hello), LoopStoppedError);
    assert.equal(wait?.tool, "pay_out");
    assert.equal(model.asked.length, 1);
  });
});
