import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Anthropic } from "@anthropic-ai/sdk";
import { LoopStoppedError } from "#salvor/adapters/anthropic/index.js";
import { DivergenceError } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { caught } from "../../client/support/caught.js";
import type { Turn } from "../support/desk.js";
import { breaks, call, END } from "../support/world-desk.js";
import { MessagesDesk, textOf } from "./support/messages-desk.js";
import type { AskedMessage } from "./support/scripted-messages.js";

type Message = Anthropic.Beta.Messages.BetaMessageParam;

const SETTLED = { refund_id: "re_7", amount_cents: 500 };
const TOLD = '{"amount_cents":500,"refund_id":"re_7"}';
const ONE: readonly Turn[] = [{ text: "", calls: [call("c1", "pay_out")] }, END];
const said = (text: string): readonly Turn[] => [{ text, calls: [] }];
const user = (content: string): Message => ({ role: "user", content });

let desk: MessagesDesk;
before(async () => {
  desk = await MessagesDesk.start();
});
after(() => desk.server.remove());
beforeEach(() => {
  desk.reset();
});
afterEach(() => desk.stopModels());

/** The results of tools in a request, as the model reads them. */
function resultsIn(asked: AskedMessage | undefined): readonly unknown[] {
  return (asked?.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }: { type: string }) => type === "tool_result") : [],
  );
}

describe("an error that a loop kept from a call", () => {
  /** A loop that stopped, without a thread, and the messages that it had. */
  const stopped = async (script: readonly Turn[]) => {
    const first = await desk.process(script);
    const runner = first.messages.toolRunner({ ...first.params, thread: false });
    await caught(runner.runUntilDone(), LoopStoppedError);
    const { messages } = runner.params;
    const saved = JSON.parse(JSON.stringify(messages)) as Message[];
    assert.match(JSON.stringify(saved.at(-1)), /"is_error":true/);
    return { first, saved };
  };

  for (const stream of [false, true]) {
    it(`is told as the output that a person settled since, in another process (stream: ${stream})`, async () => {
      desk.world.next(breaks);
      const { saved } = await stopped(ONE);
      const settings = { messages: saved, thread: false, stream } as const;
      const early = await desk.process(ONE);
      const again = early.messages.toolRunner({ ...early.params, ...settings });
      const { wait } = await caught(again.runUntilDone(), LoopStoppedError);
      assert.equal(wait?.seq, 3);
      assert.deepEqual(early.model.asked, []);

      await desk.client.resolve(desk.runId, { seq: 3, output: SETTLED });
      for (const [at, asked] of [[TOLD], []].entries()) {
        const next = await desk.process(at === 0 ? ONE : []);
        assert.equal(textOf(await next.messages.toolRunner({ ...next.params, ...settings })), "Done.");
        const told = next.model.asked.flatMap(resultsIn);
        assert.deepEqual(
          told,
          asked.map((content) => ({ type: "tool_result", tool_use_id: "c1", content })),
        );
      }
      // A loop that never stopped asks the same.
      const whole = await desk.process([]);
      const message = await whole.messages.toolRunner({ ...whole.params, thread: false, stream });
      assert.equal(textOf(message), "Done.");
      assert.equal(desk.world.attempts.length, 1);
    });
  }

  it("is told so in the process that stopped, too", async () => {
    desk.world.next(breaks);
    const { first, saved } = await stopped(ONE);
    await desk.client.resolve(desk.runId, { seq: 3, output: SETTLED });
    const message = await first.messages.toolRunner({ ...first.params, messages: saved, thread: false });
    assert.equal(textOf(message), "Done.");
    assert.equal(first.durable.stopped, undefined);
  });

  it("stops the loop still where nothing of the call is recorded", async () => {
    const script: readonly Turn[] = [
      { text: "", calls: [call("c1", "pay_out"), call("c2", "pay_out", 2)] },
      END,
    ];
    desk.world.next(breaks);
    const { first, saved } = await stopped(script);
    await desk.client.resolve(desk.runId, { seq: 3, output: SETTLED });
    const settings = { messages: saved, thread: false } as const;
    const runner = first.messages.toolRunner({ ...first.params, ...settings });
    const { stoppedBy } = await caught(runner.runUntilDone(), LoopStoppedError);
    assert.match(String(stoppedBy), /HeldBackError/);
    assert.equal(first.model.asked.length, 1);
  });

  it("is told as what is recorded where that is another failure, and stays where nothing is", async () => {
    const refused = { ...call("c2", "pay_out", 2), input: { order_id: "o-2" } };
    const calls = [call("c1", "pay_out"), refused];
    const script: readonly Turn[] = [{ text: "", calls }, END];
    const first = await desk.process(script);
    desk.world.next(() => {
      throw new HandlerError("no such order");
    });
    await first.messages.toolRunner({ ...first.params, thread: false, max_iterations: 1 });
    const failed = (id: string) => ({ type: "tool_result" as const, tool_use_id: id, is_error: true });
    const messages: Message[] = [
      user("Pay."),
      {
        role: "assistant",
        content: calls.map(({ id, tool: name, input }) => ({ type: "tool_use", id, name, input })),
      },
      { role: "user", content: calls.map(({ id }) => ({ ...failed(id), content: "It broke." })) },
    ];
    const next = await desk.process(script);
    await next.messages.create({ ...next.params, tools: [], messages });
    assert.deepEqual(next.model.asked.flatMap(resultsIn), [
      { ...failed("c1"), content: "Error: pay_out failed (handler): no such order" },
      { ...failed("c2"), content: "It broke." },
    ]);
  });

  it("is told as the output on a thread, where a request holds nothing but the result", async () => {
    desk.world.next(breaks);
    const first = await desk.process(ONE);
    await caught(first.messages.toolRunner(first.params).runUntilDone(), LoopStoppedError);
    await desk.client.resolve(desk.runId, { seq: 3, output: SETTLED });
    const next = await desk.process(ONE);
    const asked = {
      ...next.params,
      tools: [],
      thread: { type: "continue", previous_message_id: "msg_0" },
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c1", content: "It broke.", is_error: true }],
        },
      ],
    };
    await next.messages.create(asked as unknown as Parameters<typeof next.messages.create>[0]);
    assert.deepEqual(next.model.asked.flatMap(resultsIn), [
      { type: "tool_result", tool_use_id: "c1", content: TOLD },
    ]);
  });
});

describe("a conversation that goes on in other processes", () => {
  const ask = async (script: readonly Turn[], messages: Message[]) => {
    const { messages: api, params, model } = await desk.process(script);
    const runner = api.toolRunner({ ...params, messages, thread: false });
    const message = await runner;
    const history: Message[] = JSON.parse(JSON.stringify(runner.params.messages)) as Message[];
    return { message, history, asked: model.asked.length };
  };

  it("goes on behind answers of words, also behind the second of the same words", async () => {
    const first = await ask(said("Hello."), [user("Hi.")]);
    const second = [...first.history, user("Pay.")];
    const paid = await ask([{ text: "", calls: [call("c1", "pay_out")] }, ...said("Hello.")], second);
    assert.equal((await ask([], second)).asked, 0);
    const third = [...paid.history, user("And another.")];
    const script = [call("c1", "pay_out"), call("c2", "pay_out", 2)].map((one) => ({
      text: "",
      calls: [one],
    }));
    const last = await ask([...script, ...said("Bye.")], third);
    assert.equal(textOf(last.message), "Bye.");
    for (const messages of [[user("Hi.")], second, third]) assert.equal((await ask([], messages)).asked, 0);
    assert.equal(desk.world.attempts.length, 2);
    const kinds = await desk.kinds();
    assert.equal(kinds.filter((kind) => kind === "ModelCallCompleted").length, 5);
  });

  it("is refused where it went on otherwise already", async () => {
    const { history } = await ask(said("Hello."), [user("Hi.")]);
    await ask(said("Well."), [...history, user("How are you?")]);
    const { stoppedBy } = await caught(ask(said("Never."), [...history, user("Pay.")]), LoopStoppedError);
    assert.ok(stoppedBy instanceof DivergenceError);
  });

  it("goes on behind a message on a thread, and behind one that asked for tools that are not the run's", async () => {
    const first = await desk.process([{ text: "", calls: [{ id: "d1", tool: "draw", input: {} }] }]);
    await first.messages.create({ ...first.params, tools: [] });
    const drawn: Message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "d1", content: "o" }],
    };
    const history: Message[] = [
      user("Pay."),
      { role: "assistant", content: [{ type: "tool_use", id: "d1", name: "draw", input: {} }] },
      drawn,
    ];
    const second = await desk.process([
      { text: "", calls: [{ id: "d1", tool: "draw", input: {} }] },
      ...said("Nice."),
    ]);
    const nice = await second.messages.create({ ...second.params, tools: [], messages: history });
    assert.equal(textOf(nice as never), "Nice.");
    const third = await desk.process(said("Bye."));
    const thread = { type: "continue", previous_message_id: "msg_1" };
    const asked = { ...third.params, tools: [], messages: [user("Thanks.")], thread };
    third.model.next((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...nice, id: "msg_2" }));
    });
    await third.messages.create(asked as unknown as Parameters<typeof third.messages.create>[0]);
    assert.equal(third.model.asked.length, 1);
  });
});
