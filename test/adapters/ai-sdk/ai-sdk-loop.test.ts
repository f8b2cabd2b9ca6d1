import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  convertToModelMessages,
  generateText,
  readUIMessageStream,
  streamText,
  type ModelMessage,
  type UIMessage,
} from "ai";
import { UndeliveredReportError, type Fetch } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { caught } from "../../client/support/caught.js";
import type { TestServer } from "../../client/support/server.js";
import type { Turn } from "../support/desk.js";
import { Fixture, calling, saying } from "./support/fixture.js";
import type { ScriptedModel } from "./support/scripted-model.js";

const ASKED: ModelMessage[] = [{ role: "user", content: "Refund it." }];
const refunding = (results: number) => (results === 0 ? calling(["refund_card", "c1"]) : saying("Done."));

/** Loses the answers of requests whose path ends like this, as often as told. */
function losing(path: string, times: number): Fetch {
  let left = times;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!url.endsWith(path) || left === 0) return response;
    left -= 1;
    throw new TypeError("the answer is lost");
  };
}

describe("a loop of the AI SDK", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  it("tells the model what is recorded as failed, and goes on", async () => {
    const desk = Fixture.on(server, refunding);
    desk.world.next(() => {
      throw new HandlerError("the card is closed");
    });
    const { loop } = await desk.open();
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Done.");
    assert.match(JSON.stringify(desk.model.prompts[1]?.at(-1)), /error-text.*the card is closed/);

    const again = await desk.open();
    assert.equal(await streamText({ ...again.loop, messages: ASKED }).text, "Done.");
    assert.equal(desk.model.prompts.length, 2, "the same words are the same request");
    assert.equal(desk.world.attempts.length, 1);
  });

  it("tells the model that its input was refused, of which nothing is recorded", async () => {
    const asking: Turn = { text: "", calls: [{ id: "c1", tool: "refund_card", input: { order_id: 7 } }] };
    const desk = Fixture.on(server, (results) => (results === 0 ? asking : saying("Sorry.")));
    const { loop } = await desk.open();
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Sorry.");
    assert.match(JSON.stringify(desk.model.prompts[1]?.at(-1)), /error-text.*input_schema/);
    assert.deepEqual(await desk.kinds(), [
      ...["ModelCallRequested", "ModelCallCompleted"],
      ...["ModelCallRequested", "ModelCallCompleted"],
    ]);
    assert.equal(desk.world.attempts.length, 0);
  });

  it("stops when a report is not delivered, and goes on when the turn is repeated", async () => {
    const desk = Fixture.on(server, refunding);
    const { loop } = await desk.open({ fetch: losing("client-tool-completion", 2) });
    await caught(generateText({ ...loop, messages: ASKED }), UndeliveredReportError);
    const errors: unknown[] = [];
    await streamText({
      ...loop,
      messages: ASKED,
      onError: ({ error }) => void errors.push(error),
    }).consumeStream();
    assert.ok(errors[0] instanceof UndeliveredReportError);
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Done.");
    assert.equal(desk.world.attempts.length, 1);
  });

  it("performs the calls of one answer in the order in which they are asked for", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0
        ? calling(["refund_card", "c1"], ["find_order", "c2"], ["refund_card", "c3"])
        : saying("Done."),
    );
    const { loop } = await desk.open();
    assert.equal(await streamText({ ...loop, messages: ASKED }).text, "Done.");
    assert.deepEqual(
      desk.world.attempts.map(({ input }) => input.order_id),
      ["c1", "c2", "c3"],
    );
  });

  it("takes the same id of a call in two answers for two calls", async () => {
    const turns = [calling(["pay_out", "c1"]), calling(["pay_out", "c1"]), saying("Twice.")];
    const desk = Fixture.on(server, (results) => turns[results] ?? saying("?"));
    const { loop } = await desk.open();
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Twice.");
    assert.equal(desk.world.attempts.length, 2);
    const again = await desk.open();
    assert.equal((await generateText({ ...again.loop, messages: ASKED })).text, "Twice.");
    assert.equal(desk.world.attempts.length, 2);
  });
});

describe("a conversation of useChat", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  /** What a route does with the messages of its request: a program that starts, streams, and sends UI messages. */
  async function answer(desk: Fixture, messages: readonly UIMessage[]): Promise<UIMessage> {
    const { loop } = await desk.open();
    const result = streamText({ ...loop, messages: await convertToModelMessages([...messages]) });
    const stream = result.toUIMessageStream({ originalMessages: [...messages] });
    let last = messages.findLast(({ role }) => role === "assistant");
    const message = last === messages.at(-1) ? structuredClone(last) : undefined;
    for await (const read of readUIMessageStream({ stream, ...(message && { message }) })) last = read;
    assert.ok(last !== undefined);
    return last;
  }
  const asks = (text: string): UIMessage => ({ id: text, role: "user", parts: [{ type: "text", text }] });

  it("is one run over all its turns, and each turn may be repeated", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["pay_out", "c1"]) : saying("Done."),
    );
    const first = asks("Pay it.");
    const firstAnswer = await answer(desk, [first]);
    const turn = [first, firstAnswer, asks("And another.")];
    const secondAnswer = await answer(desk, turn);
    assert.equal(desk.world.attempts.length, 2, "the second is of the same order, and another call");
    assert.equal(desk.model.prompts.length, 4);

    assert.deepEqual((await answer(desk, turn)).parts, secondAnswer.parts);
    assert.deepEqual((await answer(desk, [first])).parts, firstAnswer.parts);
    assert.equal(desk.model.prompts.length, 4, "all four answers are recorded");
    assert.equal(desk.world.attempts.length, 2);
  });

  it("goes on behind an answer of words, and behind one that was stopped", async () => {
    const desk = Fixture.on(server, () => saying("Hello."));
    const first = asks("Hello?");
    const turn = [first, await answer(desk, [first]), asks("Pay it.")];
    const { loop } = await desk.open();
    const stop = new AbortController();
    const doStream = desk.model.doStream.bind(desk.model);
    desk.model.doStream = ({ abortSignal }) => Promise.resolve({ stream: talkingUntil(abortSignal) });
    const messages = await convertToModelMessages(turn);
    for await (const part of streamText({ ...loop, messages, abortSignal: stop.signal }).fullStream) {
      if (part.type === "text-delta") stop.abort();
    }
    desk.model.doStream = doStream;
    const last = await answer(desk, [...turn.slice(0, 2), asks("Never mind.")]);
    assert.deepEqual(
      last.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
      ["Hello."],
    );
    assert.equal(desk.model.prompts.length, 2);
  });

  it("goes on with a call that was approved in its browser", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["wire_out", "c1"]) : saying("Wired."),
    );
    const first = asks("Wire it.");
    const waiting = await answer(desk, [first]);
    const part = waiting.parts.find(({ type }) => type === "tool-wire_out");
    assert.ok(part !== undefined && "approval" in part && part.state === "approval-requested");
    const { pending } = await desk.client().run(desk.runId);
    assert.ok(pending?.kind === "tool");
    const output = { refund_id: "re_seen", amount_cents: 500 };
    await desk.client().resolve(desk.runId, { seq: pending.seq, output });

    // As addToolApprovalResponse does.
    const approval = { id: part.approval.id, approved: true };
    const parts = waiting.parts.map((each) =>
      each === part ? { ...part, state: "approval-responded", approval } : each,
    ) as UIMessage["parts"];
    const done = await answer(desk, [first, { ...waiting, parts }]);
    assert.match(JSON.stringify(done.parts), /re_seen.*Wired\./);
    assert.equal(desk.world.attempts.length, 1);
  });
});

/** A model's stream that has no end, until it is stopped. */
function talkingUntil(
  signal: AbortSignal | undefined,
): Awaited<ReturnType<ScriptedModel["doStream"]>>["stream"] {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "text-start", id: "0" });
      controller.enqueue({ type: "text-delta", id: "0", delta: "Well, " });
      signal?.addEventListener("abort", () => {
        controller.error(signal.reason);
      });
    },
  });
}
