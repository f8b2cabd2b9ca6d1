import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generateText, stepCountIs, streamText, type ModelMessage } from "ai";
import { TransportError, WaitingError, type Fetch } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { caught } from "../../client/support/caught.js";
import type { TestServer } from "../../client/support/server.js";
import { ALL, WIRE_OUT } from "../../client/support/tools.js";
import { approved } from "./support/approved.js";
import { Fixture, calling, callingAlike, saying } from "./support/fixture.js";

const ASKED: ModelMessage[] = [{ role: "user", content: "Wire it." }];
const PAID = { refund_id: "re_seen", amount_cents: 500 };
const wiring = (results: number) => (results === 0 ? calling(["wire_out", "c1"]) : saying("Wired."));

type Loop = Awaited<ReturnType<Fixture["open"]>>["loop"];
const WAYS = {
  "at once": async (loop: Loop, messages: ModelMessage[]) => (await generateText({ ...loop, messages })).text,
  streamed: (loop: Loop, messages: ModelMessage[]) => streamText({ ...loop, messages }).text,
};

/** The tools as they are where a program took our question for approval out: whatever ends a call is told to the model. */
function withoutQuestion({ tools }: Loop): Loop["tools"] {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, { ...tool, needsApproval: false }]),
  );
}

describe("a call of the AI SDK that was settled, and declined", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  /** A desk whose call waits, and the messages that decline it. */
  async function declining(on = server) {
    const desk = Fixture.on(on, wiring);
    const { durable, loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    const [wait] = durable.waits(first);
    assert.ok(wait !== undefined);
    const messages = approved([...ASKED, ...first.response.messages], () => false);
    return { desk, loop, messages, seq: wait.pendingAt };
  }

  /** Nothing new is asked or done where the turn is repeated as if nothing had ever been declined. */
  async function assertRepeatable(desk: Fixture, text: string): Promise<void> {
    const { prompts } = desk.model;
    const [asked, paid] = [prompts.length, desk.world.attempts.length];
    const { loop } = await desk.open();
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, text);
    assert.equal(prompts.length, asked, "the same request");
    assert.equal(desk.world.attempts.length, paid);
  }

  for (const [way, answer] of Object.entries(WAYS)) {
    it(`is told as it was settled, ${way}, in its own process and in another`, async () => {
      const { desk, loop, messages, seq } = await declining();
      await desk.client().resolve(desk.runId, { seq, output: PAID });
      assert.equal(await answer(loop, messages), "Wired.");
      assert.deepEqual(desk.told, [{ type: "json", value: PAID }]);
      assert.equal(await answer((await desk.open()).loop, messages), "Wired.");
      assert.equal(desk.model.prompts.length, 2, "the same request");
      await assertRepeatable(desk, "Wired.");
    });

    it(`is told as failed when it was settled as not performed, ${way} in another process`, async () => {
      const { desk, messages, seq } = await declining();
      await desk.client().resolve(desk.runId, { seq, not_performed: true });
      assert.equal(await answer((await desk.open()).loop, messages), "Wired.");
      const [told] = desk.told;
      assert.equal(told?.type, "error-text");
      await assertRepeatable(desk, "Wired.");
    });
  }

  it("is told as text when its output is one", async () => {
    const unchecked = { ...WIRE_OUT, require_equal: [] };
    Reflect.deleteProperty(unchecked, "output_schema");
    const lax = await Fixture.start([...ALL.filter(({ name }) => name !== "wire_out"), unchecked]);
    try {
      const { desk, loop, messages, seq } = await declining(lax);
      await desk.client().resolve(desk.runId, { seq, output: "by hand" });
      assert.equal((await generateText({ ...loop, messages })).text, "Wired.");
      assert.deepEqual(desk.told, [{ type: "text", value: "by hand" }]);
      await assertRepeatable(desk, "Wired.");
    } finally {
      await lax.remove();
    }
  });

  it("stays told in the rest of the conversation", async () => {
    const { desk, loop, messages, seq } = await declining();
    await desk.client().resolve(desk.runId, { seq, output: PAID });
    const { response } = await generateText({ ...loop, messages });
    const next: ModelMessage[] = [...messages, ...response.messages, { role: "user", content: "Again?" }];
    assert.match(JSON.stringify(next), /execution-denied/, "the program's own messages say what they said");
    const { loop: again } = await desk.open();
    assert.equal(
      (await generateText({ ...again, messages: next, stopWhen: stepCountIs(1) })).text,
      "Let me see. ",
    );
    const told = JSON.stringify(desk.model.prompts.at(-1));
    assert.match(told, /re_seen/);
    assert.doesNotMatch(told, /execution-denied/);
  });

  it("is told as recorded also where messages of a loop that stopped say that it went wrong", async () => {
    const desk = Fixture.on(server, wiring);
    const { loop } = await desk.open();
    const tools = withoutQuestion(loop);
    const first = await generateText({ ...loop, tools, messages: ASKED, stopWhen: stepCountIs(1) });
    assert.match(JSON.stringify(first.response.messages), /error-text/);
    const messages = [...ASKED, ...first.response.messages];
    const { loop: another } = await desk.open();
    const { wait } = await caught(generateText({ ...another, messages }), WaitingError);
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
    await desk.client().resolve(desk.runId, { seq: wait.pendingAt, output: PAID });
    assert.equal((await generateText({ ...another, messages })).text, "Wired.");
    assert.deepEqual(desk.told, [{ type: "json", value: PAID }]);
    assert.equal(await streamText({ ...(await desk.open()).loop, messages }).text, "Wired.");
    await assertRepeatable(desk, "Wired.");
  });

  it("stops the loop where it went wrong and nothing of it is recorded, until it is made again", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["pay_out", "c1"]) : saying("Paid."),
    );
    let isDown = true;
    const fetching: Fetch = (url, init) => {
      if (isDown && url.endsWith("client-tool-intent"))
        return Promise.reject(new TypeError("no way through"));
      return fetch(url, init);
    };
    const { loop } = await desk.open({ fetch: fetching });
    const tools = withoutQuestion(loop);
    await caught(generateText({ ...loop, tools, messages: ASKED }), TransportError);
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
    isDown = false;
    assert.equal((await generateText({ ...loop, messages: ASKED })).text, "Paid.");
    assert.equal(desk.world.attempts.length, 1);
  });
});

describe("equal calls of one answer of the AI SDK", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });
  const twice = (results: number) =>
    results === 0 ? callingAlike("pay_out", "c1", "c2") : saying("As you say.");
  const needsApproval = () => true;

  for (const [way, answer] of Object.entries(WAYS))
    for (const isNew of [false, true])
      for (const granted of ["c1", "c2"]) {
        const where = `${way}, in ${isNew ? "another" : "the same"} process`;
        it(`are told apart when only ${granted} is approved, ${where}`, async () => {
          const desk = Fixture.on(server, twice);
          const { loop } = await desk.open({ needsApproval });
          const first = await generateText({ ...loop, messages: ASKED });
          const messages = approved([...ASKED, ...first.response.messages], (id) => id === granted);
          const open = async () => (await desk.open({ needsApproval })).loop;
          assert.equal(await answer(isNew ? await open() : loop, messages), "As you say.");
          const types = ["execution-denied", "json"];
          assert.deepEqual(desk.told.map(({ type }) => type).toSorted(), types);
          assert.equal(desk.world.attempts.length, 1);
          assert.equal(await answer(await open(), messages), "As you say.");
          assert.equal(desk.world.attempts.length, 1, "it is not paid again");
          assert.equal(desk.model.prompts.length, 2, "the same request");
        });
      }

  it("are both made when both are approved, one of them with another amount", async () => {
    const desk = Fixture.on(server, twice);
    const { loop } = await desk.open({ needsApproval });
    const first = await generateText({ ...loop, messages: ASKED });
    const edited = first.response.messages.map((message): ModelMessage => {
      if (message.role !== "assistant" || typeof message.content === "string") return message;
      const content = message.content.map((part) =>
        part.type === "tool-call" && part.toolCallId === "c1"
          ? { ...part, input: { order_id: "A-17", amount_cents: 100 } }
          : part,
      );
      return { ...message, content };
    });
    const messages = approved([...ASKED, ...edited], () => true);
    for (let starts = 0; starts < 2; starts += 1) {
      const again = await desk.open({ needsApproval });
      assert.equal((await generateText({ ...again.loop, messages })).text, "As you say.");
      assert.deepEqual(
        desk.world.attempts.map(({ input }) => input.amount_cents),
        [100, 500],
      );
    }
    assert.equal(desk.model.prompts.length, 2);
  });

  it("are told apart when the first failed and the second is approved in another process", async () => {
    const desk = Fixture.on(server, twice);
    desk.world.next(() => {
      throw new HandlerError("the bank is closed");
    });
    const second = { needsApproval: ({ id }: { readonly id: string }) => id === "c2" };
    const { loop } = await desk.open(second);
    const first = await generateText({ ...loop, messages: ASKED });
    const messages = approved([...ASKED, ...first.response.messages], () => true);
    for (let starts = 0; starts < 2; starts += 1) {
      const again = await desk.open(second);
      assert.equal((await generateText({ ...again.loop, messages })).text, "As you say.");
      assert.equal(desk.world.attempts.length, 2);
    }
    assert.deepEqual(
      desk.told.map(({ type }) => type),
      ["error-text", "json"],
    );
    assert.equal(desk.model.prompts.length, 2);
  });
});
