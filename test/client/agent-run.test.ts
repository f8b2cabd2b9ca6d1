import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BadRequestError,
  DivergenceError,
  HeldBackError,
  ToolFailedError,
  WaitingError,
  waitOf,
  type AgentRun,
  type ToolAsk,
} from "#salvor/client/index.js";
import { HandlerError } from "#salvor/contract/handler-errors.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { holds } from "#salvor/log/events.js";
import { caught } from "./support/caught.js";
import { loop, openAgent, reply, type Say } from "./support/scripted-agent.js";
import { RunSetting } from "./support/run-setting.js";

const ask = (id: string, tool: string, order = 1, amount = 500): ToolAsk => ({
  id,
  tool,
  input: { order_id: `o-${order}`, amount_cents: amount },
});
const TWO_CALLS: readonly Say[] = [
  { calls: [ask("c1", "pay_out"), ask("c2", "find_order")] },
  { calls: [ask("c3", "pay_out", 2)] },
  { calls: [] },
];

describe("AgentRun", () => {
  const own = RunSetting.use();

  const open = () => openAgent(own.client, own.world, own.runId);
  const kinds = async () => (await own.client.log(own.runId)).map(({ event }) => event.kind);
  const never = () => Promise.reject(new Error("the model was asked"));
  const asking = (agent: AgentRun, ...calls: readonly ToolAsk[]) =>
    agent.model({ say: calls.map(({ id }) => id) }, () => Promise.resolve(reply({ calls })));

  it("records model calls and the calls that they ask for, in the order in which they are asked for", async () => {
    await loop(await open(), TWO_CALLS);
    const tool = ["ToolCallRequested", "ToolCallCompleted"];
    const model = ["ModelCallRequested", "ModelCallCompleted"];
    assert.deepEqual(await kinds(), [
      "RunStarted",
      ...model,
      ...tool,
      ...tool,
      ...model,
      ...tool,
      ...model,
      "RunCompleted",
    ]);
  });

  it("answers a loop that is repeated from the log, without asking the model or running a tool", async () => {
    await loop(await open(), TWO_CALLS);
    const before = await own.client.log(own.runId);
    await loop(await open(), TWO_CALLS, {
      onAsked: (turn) => assert.fail(`turn ${turn} was asked for again`),
    });
    assert.equal(own.world.attempts.length, 3);
    assert.deepEqual(await own.client.log(own.runId), before);
  });

  it("answers a repeated turn of the same process from the log too", async () => {
    const agent = await open();
    const calls = [ask("c1", "pay_out"), ask("c2", "pay_out", 2)];
    await asking(agent, ...calls);
    const first = await Promise.all(calls.map((call) => agent.call(call)));
    const again = await agent.model({ say: ["c1", "c2"] }, never);
    assert.deepEqual(again.response, { calls });
    assert.deepEqual(await Promise.all(calls.map((call) => agent.call(call))), first);
    assert.equal(own.world.attempts.length, 2);
  });

  it("finds its place by the ids of calls when it goes on from a checkpoint", async () => {
    const agent = await open();
    const calls = [ask("c1", "pay_out"), ask("c2", "pay_out", 2)];
    await asking(agent, ...calls);
    await agent.call(ask("c1", "pay_out"));
    const next = await open();
    await next.call(ask("c2", "pay_out", 2));
    await next.model({ say: "the end" }, () => Promise.resolve(reply({ calls: [] })), {
      answered: ["c1", "c2"],
    });
    await (await open()).complete({ done: true });
    assert.deepEqual(
      own.world.attempts.map(({ seq }) => seq),
      [3, 5],
    );
    assert.equal((await own.client.run(own.runId)).status.state, "completed");
  });

  it("makes each of two asks for the same, and tells them apart wherever it goes on", async () => {
    const agent = await open();
    const twins = [ask("c1", "pay_out"), ask("c2", "pay_out")];
    await asking(agent, ...twins);
    const first = await agent.call(ask("c1", "pay_out"));
    const second = await (await open()).call(ask("c2", "pay_out"));
    assert.notDeepEqual(first, second);
    const third = await open();
    assert.deepEqual(await third.call(ask("c2", "pay_out")), second);
    assert.deepEqual(await third.call(ask("c1", "pay_out")), first);
    assert.equal(own.world.attempts.length, 2);
  });

  it("makes the second of two asks for the same only when the first is made or was refused", async () => {
    const agent = await open();
    await asking(agent, ask("c1", "pay_out"), ask("c2", "pay_out"));
    const error = await caught(agent.call(ask("c2", "pay_out")), DivergenceError);
    assert.match(error.message, /c2 of pay_out .* an ask for the same before it has not been made/);
    own.runId = crypto.randomUUID();
    const other = await open();
    const bad = { id: "c4", tool: "pay_out", input: { order_id: 7 } };
    await asking(other, { ...bad, id: "c3" }, bad);
    await caught(other.call({ ...bad, id: "c3" }), BadRequestError);
    await caught(other.call(bad), BadRequestError);
    assert.equal(own.world.attempts.length, 0);
  });

  it("performs nothing again for an ask of an earlier turn whose id a later turn has too", async () => {
    const first = await open();
    await asking(first, ask("call_0", "pay_out"));
    const paid = await first.call(ask("call_0", "pay_out"));
    await first.model({ say: 2 }, () => Promise.resolve(reply({ calls: [ask("call_0", "pay_out", 2)] })), {
      answered: ["call_0"],
    });
    // From a checkpoint, or a request that is sent again.
    const next = await open();
    assert.deepEqual(await next.call(ask("call_0", "pay_out")), paid);
    assert.equal(own.world.attempts.length, 1);
    await next.call(ask("call_0", "pay_out", 2));
    await caught((await open()).call(ask("call_0", "pay_out", 3)), DivergenceError);
    assert.deepEqual(
      own.world.attempts.map(({ input }) => input.order_id),
      ["o-1", "o-2"],
    );
  });

  it("performs nothing for an ask that two turns make alike, until the model was asked which turn it is", async () => {
    const first = await open();
    await asking(first, ask("call_0", "pay_out"));
    await first.call(ask("call_0", "pay_out"));
    const second = () => Promise.resolve(reply({ calls: [ask("call_0", "pay_out")] }));
    await first.model({ say: 2 }, second, { answered: ["call_0"] });
    const next = await open();
    await caught(next.call(ask("call_0", "pay_out")), DivergenceError);
    assert.equal(own.world.attempts.length, 1);
    await next.model({ say: 2 }, never, { answered: ["call_0"] });
    await next.call(ask("call_0", "pay_out"));
    assert.equal(own.world.attempts.length, 2);
  });

  it("does not answer an ask with what another one of its id came to, where no model call is recorded", async () => {
    const agent = await open();
    await agent.call(ask("call_0", "pay_out"));
    await caught(agent.call(ask("call_0", "pay_out", 2)), DivergenceError);
    assert.equal(own.world.attempts.length, 1);
  });

  it("does not perform a call that may be recorded with another input", async () => {
    const agent = await open();
    await asking(agent, ask("c1", "pay_out"));
    await agent.call(ask("c1", "pay_out", 1, 300));
    assert.deepEqual(await (await open()).call(ask("c1", "pay_out", 1, 300)), {
      refund_id: "re_1",
      amount_cents: 300,
    });
    const error = await caught((await open()).call(ask("c1", "pay_out")), DivergenceError);
    assert.match(error.message, /call 3 may be it, with another input/);
    assert.equal(own.world.attempts.length, 1);
  });

  it("refuses a request that differs from the one that the log went on with", async () => {
    const agent = await open();
    await asking(agent, ask("c1", "pay_out"));
    await agent.call(ask("c1", "pay_out"));
    await agent.model({ said: 1 }, () => Promise.resolve(reply({ calls: [] })), { answered: ["c1"] });
    await caught((await open()).model({ said: 2 }, never, { answered: ["c1"] }), DivergenceError);
    await caught((await open()).model({ said: 3 }, never), DivergenceError);
  });

  it("asks the model again when its answer was not recorded, and says what it threw", async () => {
    const agent = await open();
    await assert.rejects(
      agent.model({ q: 1 }, () => Promise.reject(new Error("overloaded"))),
      /overloaded/,
    );
    const { response } = await (await open()).model({ q: 1 }, () => Promise.resolve(reply({ calls: [] })));
    assert.deepEqual(response, { calls: [] });
    assert.deepEqual(await kinds(), ["RunStarted", "ModelCallRequested", "ModelCallCompleted"]);
  });

  it("lets the model hear of a call that is recorded as failed, and go on", async () => {
    own.world.next(() => {
      throw new HandlerError("no such order");
    });
    const agent = await open();
    await asking(agent, ask("c1", "pay_out"), ask("c2", "pay_out", 2));
    const [failed, made] = await Promise.allSettled([
      agent.call(ask("c1", "pay_out")),
      agent.call(ask("c2", "pay_out", 2)),
    ]);
    assert.ok(failed.status === "rejected" && failed.reason instanceof ToolFailedError);
    assert.equal(made.status, "fulfilled");
    await caught((await open()).call(ask("c1", "pay_out")), ToolFailedError);
  });

  it("waits for a person when a write dangles, holds back what follows, and goes on when it is settled", async () => {
    own.world.next(() => {
      throw new Error("connection lost");
    });
    const agent = await open();
    const calls = [ask("c1", "pay_out"), ask("c2", "pay_out", 2)];
    await asking(agent, ...calls);
    const [first, second] = await Promise.allSettled(calls.map((call) => agent.call(call)));
    assert.ok(first?.status === "rejected" && first.reason instanceof WaitingError);
    const { reason, ...wait } = first.reason.wait;
    assert.deepEqual(wait, {
      kind: "reconciliation",
      runId: own.runId,
      seq: 3,
      pendingAt: 3,
      tool: "pay_out",
      input: calls[0]?.input,
      idempotencyKey: own.world.attempts[0]?.key,
    });
    assert.match(reason, /connection lost|Its effect may have happened/);
    assert.ok(second?.status === "rejected" && second.reason instanceof HeldBackError);
    assert.deepEqual(waitOf(second.reason), first.reason.wait);
    // Nothing goes on behind it: not the model, not the end, not the other call, in whichever process.
    for (const one of [agent, await open()]) {
      assert.equal(
        waitOf(await caught(one.model({ q: 2 }, never, { answered: ["c1"] }), WaitingError))?.seq,
        3,
      );
      await caught(one.complete(null), WaitingError);
      await caught(one.call(ask("c2", "pay_out", 2)), WaitingError);
    }
    const next = await open();
    await own.client.resolve(own.runId, {
      seq: 3,
      output: { refund_id: "re_x", amount_cents: 500 },
      operator: "ann",
    });
    assert.deepEqual(await next.call(ask("c2", "pay_out", 2)), { refund_id: "re_2", amount_cents: 500 });
    assert.deepEqual(await next.call(ask("c1", "pay_out")), { refund_id: "re_x", amount_cents: 500 });
    assert.equal(own.world.attempts.length, 2);
  });

  it("waits for a person when no client may close the call", async () => {
    const agent = await open();
    await asking(agent, ask("c1", "wire_out"));
    const { wait } = await caught(agent.call(ask("c1", "wire_out")), WaitingError);
    assert.equal(wait.kind, "reconciliation");
    await own.client.resolve(own.runId, {
      seq: 3,
      output: { refund_id: "re_1", amount_cents: 500 },
      operator: "ann",
    });
    assert.deepEqual(await agent.call(ask("c1", "wire_out")), { refund_id: "re_1", amount_cents: 500 });
    assert.equal(own.world.attempts.length, 1);
  });

  it("waits for the answer to a suspension, and says what is asked for", async () => {
    const schema = { type: "object", required: ["yes"] };
    own.world.next(() => suspend("May I?", schema));
    const agent = await open();
    await asking(agent, ask("c1", "pay_out"));
    const { wait } = await caught(agent.call(ask("c1", "pay_out")), WaitingError);
    assert.deepEqual(
      { kind: wait.kind, pendingAt: wait.pendingAt, reason: wait.reason, inputSchema: wait.inputSchema },
      { kind: "suspension", pendingAt: 5, reason: "May I?", inputSchema: schema },
    );
    await own.client.resume(own.runId, { seq: 5, input: { yes: true } });
    assert.deepEqual(await agent.call(ask("c1", "pay_out")), { yes: true });
  });

  it("performs a read again that was left open, before anything goes on behind it", async () => {
    const agent = await open();
    await asking(agent, ask("c1", "find_order"), ask("c2", "pay_out"));
    await own.client.toolIntent(
      { run: own.runId, driveToken: agent.run.driveToken },
      { seq: 3, ...ask("c1", "find_order") },
    );
    await (await open()).call(ask("c2", "pay_out"));
    assert.deepEqual(
      own.world.attempts.map(({ tool, seq }) => ({ tool, seq })),
      [
        { tool: "find_order", seq: 3 },
        { tool: "pay_out", seq: 5 },
      ],
    );
  });

  it("performs calls in their order, once for each id, where no model call is recorded", async () => {
    const agent = await open();
    const first = await agent.call(ask("c1", "pay_out"));
    const second = await agent.call(ask("c2", "pay_out"));
    assert.deepEqual(await agent.call(ask("c1", "pay_out")), first);
    const next = await open();
    assert.deepEqual(await next.call(ask("c1", "pay_out")), first);
    assert.deepEqual(await next.call(ask("c2", "pay_out")), second);
    assert.equal(own.world.attempts.length, 2);
  });

  it("records requests only in a run that was opened to record prompts", async () => {
    const requests = async () =>
      (await own.client.log(own.runId)).flatMap((envelope) =>
        holds(envelope, "ModelCallRequested") ? [envelope.event.payload.request_body] : [],
      );
    await asking(await open(), ask("c1", "pay_out"));
    assert.deepEqual(await requests(), [undefined]);
    own.runId = crypto.randomUUID();
    await asking(
      await openAgent(own.client, own.world, own.runId, { recordPrompts: true }),
      ask("c1", "pay_out"),
    );
    assert.deepEqual(await requests(), [{ say: ["c1"] }]);
  });
});
