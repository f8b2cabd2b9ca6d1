import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generateText, streamText, type ModelMessage } from "ai";
import { WaitingError } from "#salvor/client/index.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { caught } from "../../client/support/caught.js";
import type { TestServer } from "../../client/support/server.js";
import { approved } from "./support/approved.js";
import { Fixture, calling, saying } from "./support/fixture.js";

const ASKED: ModelMessage[] = [{ role: "user", content: "Wire it." }];
const PAID = { refund_id: "re_seen", amount_cents: 500 };

/** Only a person closes a call of `wire_out`. */
const wiring = (results: number) => (results === 0 ? calling(["wire_out", "c1"]) : saying("Wired."));

describe("a call of the AI SDK that a person has to settle", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });

  it("is a request for approval, and goes on when it is settled and approved", async () => {
    const desk = Fixture.on(server, wiring);
    const { durable, loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    assert.deepEqual(
      first.content.map(({ type }) => type),
      ["text", "tool-call", "tool-approval-request"],
    );
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
    const [wait] = durable.waits(first);
    assert.ok(wait !== undefined);
    assert.equal(wait.kind, "reconciliation");
    assert.equal(wait.tool, "wire_out");
    await desk.client().resolve(desk.runId, { seq: wait.pendingAt, output: PAID });

    const messages = approved([...ASKED, ...first.response.messages]);
    const second = await generateText({ ...loop, messages });
    assert.equal(second.text, "Wired.");
    assert.deepEqual(durable.waits(second), []);
    assert.deepEqual(desk.told.at(-1), { type: "json", value: PAID });
    assert.equal(desk.world.attempts.length, 1);
  });

  it("goes on in another process, streamed, and the whole turn may be repeated as well", async () => {
    const desk = Fixture.on(server, wiring);
    const { durable, loop } = await desk.open();
    const first = streamText({ ...loop, messages: ASKED });
    const content = await first.content;
    assert.equal(content.at(-1)?.type, "tool-approval-request");
    const [wait] = durable.waits({ content });
    await desk.client().resolve(desk.runId, { seq: wait?.pendingAt ?? -1, output: PAID });

    const second = await desk.open();
    const messages = approved([...ASKED, ...(await first.response).messages]);
    assert.equal(await streamText({ ...second.loop, messages }).text, "Wired.");
    assert.deepEqual(desk.told.at(-1), { type: "json", value: PAID });

    const third = await desk.open();
    const repeated = await generateText({ ...third.loop, messages: ASKED });
    assert.equal(repeated.text, "Wired.");
    assert.equal(desk.model.prompts.length, 2, "both answers are recorded");
    assert.equal(desk.world.attempts.length, 1);
  });

  it("stops the loop when it is approved and not settled", async () => {
    const desk = Fixture.on(server, wiring);
    const { loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    const messages = approved([...ASKED, ...first.response.messages]);
    const { wait } = await caught(generateText({ ...loop, messages }), WaitingError);
    assert.equal(wait.tool, "wire_out");
    const errors: unknown[] = [];
    await streamText({ ...loop, messages, onError: ({ error }) => void errors.push(error) }).consumeStream();
    assert.ok(errors[0] instanceof WaitingError);
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
    assert.equal(desk.world.attempts.length, 1);
  });

  it("is not undone by declining it", async () => {
    const desk = Fixture.on(server, wiring);
    const { loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    const messages = approved([...ASKED, ...first.response.messages], () => false);
    await caught(generateText({ ...loop, messages }), WaitingError);
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
  });

  it("holds the calls behind it, which are approved with it, in any order", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["wire_out", "c1"], ["find_order", "c2"]) : saying("Both."),
    );
    const { durable, loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    assert.equal(first.content.filter(({ type }) => type === "tool-approval-request").length, 2);
    const waits = durable.waits(first);
    assert.deepEqual(
      waits.map(({ tool }) => tool),
      ["wire_out"],
      "one call waits for a person",
    );
    await desk.client().resolve(desk.runId, { seq: waits[0]?.pendingAt ?? -1, output: PAID });
    const messages = approved([...ASKED, ...first.response.messages]);
    const last = messages.at(-1);
    if (last?.role === "tool") last.content.reverse();
    const second = await generateText({ ...loop, messages });
    assert.equal(second.text, "Both.");
    assert.deepEqual(
      desk.world.attempts.map(({ tool }) => tool),
      ["wire_out", "find_order"],
    );
    const repeated = await desk.open();
    assert.equal((await generateText({ ...repeated.loop, messages: ASKED })).text, "Both.");
    assert.equal(desk.model.prompts.length, 2, "the same request, whichever way its results were known");
  });

  it("is shown with what it asks, when its tool suspends it, and ends with the answer", async () => {
    const desk = Fixture.on(server, (results) =>
      results === 0 ? calling(["pay_out", "c1"]) : saying("Paid."),
    );
    desk.world.next(() => suspend("Pay 500 cents?", { type: "object", required: ["refund_id"] }));
    const { durable, loop } = await desk.open();
    const first = await generateText({ ...loop, messages: ASKED });
    const [wait] = durable.waits(first);
    assert.ok(wait !== undefined);
    assert.equal(wait.kind, "suspension");
    assert.equal(wait.reason, "Pay 500 cents?");
    assert.deepEqual(wait.inputSchema, { type: "object", required: ["refund_id"] });
    await desk.client().resume(desk.runId, { seq: wait.pendingAt, input: PAID });
    const second = await generateText({
      ...loop,
      messages: approved([...ASKED, ...first.response.messages]),
    });
    assert.equal(second.text, "Paid.");
    assert.deepEqual(desk.told.at(-1), { type: "json", value: PAID });
    assert.equal(desk.world.attempts.length, 1);
  });

  it("stops the loop also where a program took our question for approval out", async () => {
    const desk = Fixture.on(server, wiring);
    const { loop } = await desk.open();
    const { wire_out } = loop.tools;
    assert.ok(wire_out !== undefined);
    const { needsApproval: _ours, ...bare } = wire_out;
    assert.ok(_ours !== undefined);
    const tools = { wire_out: bare as typeof wire_out };
    await caught(generateText({ ...loop, tools, messages: ASKED }), WaitingError);
    assert.equal(desk.model.prompts.length, 1, "the model is told nothing");
  });
});

describe("a call of the AI SDK that a program has approved first", () => {
  let server: TestServer;
  before(async () => {
    server = await Fixture.start();
  });
  after(async () => {
    await server.remove();
  });
  const refunding = (results: number) =>
    results === 0 ? calling(["refund_card", "c1"], ["find_order", "c2"]) : saying("Refunded.");
  const needsApproval = ({ tool }: { readonly tool: string }) => tool === "refund_card";

  it("is performed when it is approved, and the others at once", async () => {
    const desk = Fixture.on(server, refunding);
    const { durable, loop } = await desk.open({ needsApproval });
    const first = await generateText({ ...loop, messages: ASKED });
    assert.deepEqual(
      desk.world.attempts.map(({ tool }) => tool),
      ["find_order"],
    );
    assert.deepEqual(durable.waits(first), [], "nothing is recorded that waits");
    const messages = approved([...ASKED, ...first.response.messages]);
    const again = await desk.open({ needsApproval });
    assert.equal((await generateText({ ...again.loop, messages })).text, "Refunded.");
    assert.deepEqual(
      desk.world.attempts.map(({ tool }) => tool),
      ["find_order", "refund_card"],
    );
  });

  it("is not performed when it is declined, and the model is told", async () => {
    const desk = Fixture.on(server, refunding);
    const { loop } = await desk.open({ needsApproval });
    const first = await generateText({ ...loop, messages: ASKED });
    const messages = approved([...ASKED, ...first.response.messages], () => false);
    const again = await desk.open({ needsApproval });
    assert.equal((await generateText({ ...again.loop, messages })).text, "Refunded.");
    assert.deepEqual(
      desk.world.attempts.map(({ tool }) => tool),
      ["find_order"],
    );
    assert.deepEqual(
      desk.told.map(({ type }) => type),
      ["json", "execution-denied"],
    );
  });
});
