import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { LoopStoppedError } from "#salvor/adapters/anthropic/index.js";
import { UndeliveredReportError, UnknownOutcomeError } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { caught } from "../../client/support/caught.js";
import type { Turn } from "../support/desk.js";
import { breaks, call, END, TWO_CALLS, TWO_CALLS_KINDS } from "../support/world-desk.js";
import { MessagesDesk, textOf } from "./support/messages-desk.js";

const PERFORMED = [
  ["pay_out", 3],
  ["find_order", 5],
  ["pay_out", 9],
];

describe("AnthropicRun", () => {
  let desk: MessagesDesk;
  before(async () => {
    desk = await MessagesDesk.start();
  });
  after(() => desk.server.remove());
  beforeEach(() => {
    desk.reset();
  });
  afterEach(() => desk.stopModels());

  const settled = { refund_id: "re_7", amount_cents: 500 };

  it("records model calls and the tool calls that they ask for", async () => {
    const { messages, params, durable } = await desk.process(TWO_CALLS);
    const message = await messages.toolRunner(params);
    await durable.agentRun.complete(textOf(message));
    assert.deepEqual(await desk.kinds(), TWO_CALLS_KINDS);
    const { usage, status } = await desk.client.run(desk.runId);
    assert.deepEqual(usage, { input_tokens: 10 + 12 + 13, output_tokens: 15 });
    assert.deepEqual(status, { state: "completed", output: "Done." });
  });

  for (const thread of [undefined, false] as const) {
    const how = thread === false ? "without a thread" : "on a thread";
    it(`answers a loop that is repeated from the log, ${how}`, async () => {
      const first = await desk.process(TWO_CALLS);
      const settings = thread === false ? { thread } : {};
      const live = await first.messages.toolRunner({ ...first.params, ...settings });
      const before = await desk.events();
      const again = await desk.process([]);
      const replayed = await again.messages.toolRunner({ ...again.params, ...settings });
      assert.deepEqual(replayed, live);
      assert.deepEqual(again.model.asked, []);
      assert.equal(desk.world.attempts.length, 3);
      assert.deepEqual(await desk.events(), before);
    });
  }

  for (const stream of [false, true]) {
    const how = stream ? "streams" : "does not stream";
    it(`ends a loop that ${how} at a write that nobody knows the end of, and goes on when it is settled`, async () => {
      const first = await desk.process(TWO_CALLS);
      desk.world.next(breaks);
      const runner = first.messages.toolRunner({ ...first.params, stream });
      const error = await caught(runner.runUntilDone(), LoopStoppedError);
      assert.ok(error.wait);
      const { kind, seq, tool, input } = error.wait;
      assert.deepEqual(
        { kind, seq, tool, input },
        { kind: "reconciliation", seq: 3, tool: "pay_out", input: { order_id: "o-1", amount_cents: 500 } },
      );
      assert.equal(first.model.asked.length, 1, "the model was not told");
      assert.deepEqual(first.durable.stopped?.wait, error.wait);
      const unsettled = first.messages.toolRunner({ ...first.params, stream });
      await caught(unsettled.runUntilDone(), LoopStoppedError);
      assert.equal(desk.world.attempts.length, 1);

      await desk.client.resolve(desk.runId, { seq, output: settled });

      const message = await first.messages.toolRunner({ ...first.params, stream });
      assert.equal(textOf(message), "Done.");
      assert.equal(first.durable.stopped, undefined);
      assert.equal(first.model.asked.length, 3);
      assert.deepEqual(desk.performed(), PERFORMED);
    });
  }

  it("ends the loop at a suspension, whose answer becomes the call's result", async () => {
    const inputSchema = { type: "object", required: ["refund_id"] };
    desk.world.next(() => suspend("may I?", inputSchema));
    const { messages, params, model } = await desk.process([
      { text: "", calls: [call("c1", "reserve")] },
      END,
    ]);
    const { wait } = await caught(messages.toolRunner(params).runUntilDone(), LoopStoppedError);
    assert.equal(wait?.kind, "suspension");
    assert.deepEqual(wait.inputSchema, inputSchema);
    await desk.client.resume(desk.runId, { seq: wait.pendingAt, input: settled });
    assert.equal(textOf(await messages.toolRunner(params)), "Done.");
    assert.deepEqual(model.asked.at(-1)?.messages.at(-1)?.content, [
      { type: "tool_result", tool_use_id: "c1", content: '{"amount_cents":500,"refund_id":"re_7"}' },
    ]);
  });

  it("says what stopped a loop that ended because of its max_iterations", async () => {
    const { messages, params, durable } = await desk.process(TWO_CALLS);
    desk.world.next(breaks);
    const message = await messages.toolRunner({ ...params, max_iterations: 1 });
    assert.equal(message.stop_reason, "tool_use");
    assert.equal(durable.stopped?.wait?.tool, "pay_out");
    assert.ok(durable.stopped.stoppedBy instanceof Error);
  });

  it("stops at a write that took too long without sending a request again", async () => {
    // By what the error says, the SDK would take it for a connection that timed out.
    const { messages, params, model } = await desk.process(TWO_CALLS, 20);
    desk.world.next(() => new Promise(() => undefined));
    const error = await caught(messages.toolRunner(params).runUntilDone(), LoopStoppedError);
    assert.equal(error.wait?.kind, "reconciliation");
    const { cause } = error.stoppedBy as Error;
    assert.ok(cause instanceof UnknownOutcomeError);
    assert.equal(model.asked.length, 1);
  });

  it("tells the model of a call that is recorded as failed, and of an input that was refused", async () => {
    const refused = { ...call("c2", "pay_out"), input: { order_id: "o-2" } };
    const script: readonly Turn[] = [{ text: "", calls: [call("c1", "pay_out"), refused] }, END];
    const { messages, params, model } = await desk.process(script);
    desk.world.next(() => {
      throw new HandlerError("no such order");
    });
    assert.equal(textOf(await messages.toolRunner(params)), "Done.");
    const told = model.asked[1]?.messages.at(-1)?.content as readonly {
      content: string;
      is_error: boolean;
    }[];
    assert.equal(told[0]?.content, "Error: pay_out failed (handler): no such order");
    assert.match(told[1]?.content ?? "", /amount_cents/);
    assert.deepEqual(
      told.map(({ is_error }) => is_error),
      [true, true],
    );
    const asked = (await desk.kinds()).filter((kind) => kind === "ToolCallRequested");
    assert.equal(asked.length, 1, "what was refused is not recorded");
  });

  it("stops with the error when the server cannot be reached, and goes on when it can", async () => {
    const { messages, params, model } = await desk.process(TWO_CALLS);
    const { port } = desk.server;
    desk.world.next(async (input) => {
      await desk.server.stop();
      return { refund_id: "re_1", amount_cents: input.amount_cents };
    });
    const { stoppedBy, wait } = await caught(messages.toolRunner(params).runUntilDone(), LoopStoppedError);
    assert.ok(stoppedBy instanceof UndeliveredReportError);
    assert.equal(wait, undefined);
    assert.equal(model.asked.length, 1);
    await desk.server.resume(undefined, port);
    assert.equal(textOf(await messages.toolRunner(params)), "Done.");
    assert.equal(desk.world.attempts.length, 3);
  });

  it("performs a call that the runner starts early once the answer that asks for it is recorded", async () => {
    const { messages, params } = await desk.process(TWO_CALLS);
    const message = await messages.toolRunner({ ...params, stream: true, runToolsEagerly: true });
    assert.equal(textOf(message), "Done.");
    assert.deepEqual(desk.performed(), PERFORMED);
  });

  it("refuses a call that no model made: it could not be found in the log again", async () => {
    const { durable } = await desk.process([]);
    await assert.rejects(async () => durable.tools[0]?.run({}), TypeError);
  });
});
