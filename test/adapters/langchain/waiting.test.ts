import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Command, INTERRUPT, MemorySaver, isInterrupted } from "@langchain/langgraph";
import { toolRetryMiddleware } from "langchain";
import type { LangChainRun } from "#salvor/adapters/langchain/index.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import { RunSetting } from "../../client/support/run-setting.js";
import { toolsFor } from "../../client/support/tools.js";
import type { Turn } from "../support/desk.js";
import { ASKED, agentOf, graphOf, openScene, scriptOf } from "./scene.js";

const OUTPUT = { refund_id: "re_by_hand", amount_cents: 500 };
const nothingSaid = () => {
  throw new Error("the line went dead");
};

for (const [kind, loopOf] of [
  ["an agent of LangChain", agentOf],
  ["a graph of LangGraph", graphOf],
] as const) {
  describe(`${kind} whose call waits for a person`, () => {
    const own = RunSetting.use();
    /** The one that was opened last. */
    let run: LangChainRun;
    const open = async (script: readonly Turn[]) => {
      const scene = await openScene(own.client, toolsFor(own.world), own.runId, script);
      run = scene.run;
      return scene;
    };
    const waitsOf = (state: unknown) => run.waits(state);
    const config = () => ({ configurable: { thread_id: own.runId } });

    it("is interrupted with what it waits for, and goes on when the person has settled it", async () => {
      const scene = await open(scriptOf(["c1", "pay_out"]));
      const graph = loopOf(scene, { checkpointer: new MemorySaver() });
      own.world.next(nothingSaid);
      const [wait, ...others] = waitsOf(await graph.invoke(ASKED, config()));
      assert.deepEqual(others, []);
      assert.equal(wait?.kind, "reconciliation");
      assert.deepEqual(
        [wait.runId, wait.tool, wait.input, wait.seq],
        [own.runId, "pay_out", { order_id: "o-1", amount_cents: 500 }, 3],
      );
      assert.equal(wait.idempotencyKey, own.world.attempts[0]?.key);
      await own.client.resolve(own.runId, { seq: wait.pendingAt, output: OUTPUT });

      const state = await graph.invoke(new Command({ resume: true }), config());
      assert.deepEqual(waitsOf(state), []);
      assert.equal(own.world.attempts.length, 1);
      assert.deepEqual(scene.chat.told, [[], [JSON.stringify(OUTPUT)]]);
      await scene.run.agentRun.complete({ done: true });
      assert.equal((await own.client.run(own.runId)).status.state, "completed");
    });

    it("goes on in another process, from the checkpoint", async () => {
      const script = scriptOf(["c1", "pay_out"], ["c2", "find_order"]);
      const checkpointer = new MemorySaver();
      own.world.next(nothingSaid);
      const [wait] = waitsOf(await loopOf(await open(script), { checkpointer }).invoke(ASKED, config()));
      assert.ok(wait);
      await own.client.resolve(own.runId, { seq: wait.pendingAt, output: OUTPUT });

      const scene = await open(script);
      const state = await loopOf(scene, { checkpointer }).invoke(new Command({ resume: true }), config());
      assert.deepEqual(waitsOf(state), []);
      assert.deepEqual(scene.chat.told, [
        [JSON.stringify(OUTPUT), '{"refund_id":"re_2","amount_cents":500}'],
      ]);
    });

    it("is interrupted again while the person has not acted, whatever it is resumed with", async () => {
      const graph = loopOf(await open(scriptOf(["c1", "pay_out"])), { checkpointer: new MemorySaver() });
      own.world.next(nothingSaid);
      let [wait] = waitsOf(await graph.invoke(ASKED, config()));
      for (const resume of [true, { refund_id: "invented" }]) {
        [wait] = waitsOf(await graph.invoke(new Command({ resume }), config()));
        assert.equal(wait?.tool, "pay_out");
      }
      assert.ok(wait);
      await own.client.resolve(own.runId, { seq: wait.pendingAt, not_performed: true });
      const state = await graph.invoke(new Command({ resume: true }), config());
      assert.deepEqual(waitsOf(state), []);
      assert.equal(own.world.attempts.length, 1);
    });

    it("is interrupted once for a turn of three calls, and performs those behind it later", async () => {
      const calls = scriptOf(["c1", "find_order"], ["c2", "pay_out"], ["c3", "pay_out", "o-2"]);
      const graph = loopOf(await open(calls), { checkpointer: new MemorySaver() });
      own.world.next(() => OUTPUT, nothingSaid);
      const interrupted = await graph.invoke(ASKED, config());
      assert.ok(isInterrupted(interrupted) && interrupted[INTERRUPT].length === 1);
      const waits = waitsOf(interrupted);
      assert.deepEqual(
        waits.map(({ seq, tool }) => [seq, tool]),
        [[5, "pay_out"]],
      );
      assert.equal(own.world.attempts.length, 2);
      await own.client.resolve(own.runId, { seq: 5, output: OUTPUT });
      assert.deepEqual(waitsOf(await graph.invoke(new Command({ resume: true }), config())), []);
      assert.deepEqual(
        own.world.attempts.map(({ tool, input }) => [tool, input.order_id]),
        [
          ["find_order", "o-1"],
          ["pay_out", "o-1"],
          ["pay_out", "o-2"],
        ],
      );
    });

    it("is interrupted for one call after another", async () => {
      const calls = scriptOf(["c1", "pay_out"], ["c2", "pay_out", "o-2"]);
      const graph = loopOf(await open(calls), { checkpointer: new MemorySaver() });
      own.world.next(nothingSaid, nothingSaid);
      let [wait] = waitsOf(await graph.invoke(ASKED, config()));
      for (const seq of [3, 5]) {
        assert.equal(wait?.seq, seq);
        await own.client.resolve(own.runId, { seq, output: OUTPUT });
        [wait] = waitsOf(await graph.invoke(new Command({ resume: true }), config()));
      }
      assert.equal(wait, undefined);
      assert.equal(own.world.attempts.length, 2);
    });

    it("is interrupted by a call that no client may close", async () => {
      const graph = loopOf(await open(scriptOf(["c1", "wire_out"])), { checkpointer: new MemorySaver() });
      const [wait] = waitsOf(await graph.invoke(ASKED, config()));
      assert.match(wait?.reason ?? "", /trust_completion = false/);
      await own.client.resolve(own.runId, { seq: 3, output: OUTPUT });
      assert.deepEqual(waitsOf(await graph.invoke(new Command({ resume: true }), config())), []);
      assert.equal(own.world.attempts.length, 1);
    });

    it("is interrupted by a suspension, whose answer is the call's result", async () => {
      const scene = await open(scriptOf(["c1", "find_order"]));
      const graph = loopOf(scene, { checkpointer: new MemorySaver() });
      const inputSchema = { type: "object", required: ["approved"] };
      own.world.next(() => suspend("Refund 500 cents?", inputSchema));
      const [wait] = waitsOf(await graph.invoke(ASKED, config()));
      assert.deepEqual(
        [wait?.kind, wait?.reason, wait?.inputSchema, wait?.pendingAt],
        ["suspension", "Refund 500 cents?", inputSchema, 5],
      );
      await own.client.resume(own.runId, { seq: 5, input: { approved: true } });
      await graph.invoke(new Command({ resume: true }), config());
      assert.deepEqual(scene.chat.told, [[], ['{"approved":true}']]);
      assert.equal(own.world.attempts.length, 1);
    });

    it("is interrupted without a checkpointer too, and is started again", async () => {
      const script = scriptOf(["c1", "pay_out"], ["c2", "find_order"]);
      own.world.next(nothingSaid);
      const [wait, ...others] = waitsOf(await loopOf(await open(script)).invoke(ASKED));
      assert.deepEqual([wait?.seq, others], [3, []]);
      assert.deepEqual(
        waitsOf(await loopOf(await open(script)).invoke(ASKED)).map(({ seq }) => seq),
        [3],
      );
      await own.client.resolve(own.runId, { seq: 3, output: OUTPUT });
      const scene = await open(script);
      assert.deepEqual(waitsOf(await loopOf(scene).invoke(ASKED)), []);
      assert.deepEqual(scene.chat.told.length, 1, "the first answer is recorded");
      assert.deepEqual(
        own.world.attempts.map(({ tool }) => tool),
        ["pay_out", "find_order"],
      );
    });
  });
}

describe("an interrupt that something between the agent and its tools has caught", () => {
  const own = RunSetting.use();

  it("stops the loop at the model, which is not told of it", async () => {
    own.world.next(nothingSaid);
    const script = scriptOf(["c1", "pay_out"]);
    const scene = await openScene(own.client, toolsFor(own.world), own.runId, script);
    const agent = agentOf(scene, { before: [toolRetryMiddleware({ maxRetries: 0 })] });
    const state = await agent.invoke(ASKED);
    assert.equal(scene.run.waits(state)[0]?.tool, "pay_out");
    assert.deepEqual(scene.chat.told, [[]]);
  });
});
