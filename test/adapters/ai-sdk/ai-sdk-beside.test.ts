import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generateText, streamText, type ModelMessage } from "ai";
import { DivergenceError } from "#salvor/client/index.js";
import type { TestServer } from "../../client/support/server.js";
import type { Turn } from "../support/desk.js";
import { Fixture, calling, saying } from "./support/fixture.js";
import { answerOf } from "./support/scripted-model.js";

const says = (content: string): ModelMessage => ({ role: "user", content });

describe("what goes on in one run of the AI SDK", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  it("is one of two loops that begin at once, and the other one is refused", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["pay_out", "c1"]) : saying("Paid."),
    );
    const { loop } = await desk.open();
    const ends = await Promise.allSettled(
      ["Pay A-17.", "Pay A-18."].map((prompt) => generateText({ ...loop, prompt })),
    );
    const texts = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.text] : []));
    const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    assert.deepEqual(texts, ["Paid."]);
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof DivergenceError);
    assert.match(errors[0].message, /One loop at a time drives a run/);
    assert.equal(desk.world.attempts.length, 1);
  });

  it("is what a user asks next, who stopped a stream among its calls", async () => {
    const turns: Record<string, Turn> = {
      "Pay both.": calling(["pay_out", "c1"], ["pay_out", "c2"]),
      "How are you?": saying("Well."),
    };
    const desk = Fixture.on(server, () => saying("?"));
    desk.model.doGenerate = ({ prompt }) => {
      desk.model.prompts.push(prompt);
      const text = prompt.flatMap(({ role, content }) => (role === "user" ? content : [])).at(-1);
      const turn = text?.type === "text" ? turns[text.text] : undefined;
      return Promise.resolve(answerOf(turn ?? saying("?")));
    };
    const stop = new AbortController();
    const needsApproval = ({ id }: { readonly id: string }) => {
      if (id === "c2") stop.abort();
      return false;
    };
    const { loop } = await desk.open({ needsApproval });
    const first = streamText({ ...loop, messages: [says("Pay both.")], abortSignal: stop.signal });
    await first.consumeStream();
    assert.equal(stop.signal.aborted, true);
    const messages = [says("Pay both."), says("How are you?")];
    assert.equal((await generateText({ ...loop, messages })).text, "Well.");
    assert.deepEqual(
      desk.world.attempts.map(({ input }) => input.order_id),
      ["c1"],
      "the second was not made",
    );
    assert.equal(desk.model.prompts.length, 2);
  });

  it("is found again behind words that came with a call that the provider made", async () => {
    const desk = Fixture.on(server, () => saying("?"));
    const searching = answerOf(saying("It is due."));
    const call = { type: "tool-call" as const, toolCallId: "s1", toolName: "search", input: "{}" };
    desk.model.doGenerate = ({ prompt }) => {
      desk.model.prompts.push(prompt);
      const content = [
        { ...call, providerExecuted: true, dynamic: true },
        { type: "tool-result" as const, toolCallId: "s1", toolName: "search", result: { found: 1 } },
        ...searching.content,
      ];
      return Promise.resolve({ ...searching, content });
    };
    const { loop } = await desk.open();
    const first = await generateText({ ...loop, messages: [says("Is it due?")] });
    const messages = [says("Is it due?"), ...first.response.messages, says("Surely?")];
    const again = await desk.open();
    assert.equal((await generateText({ ...again.loop, messages })).text, "It is due.");
    assert.equal(desk.model.prompts.length, 2);
  });
});
